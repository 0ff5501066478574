/* Reads the vectors of pair_distances and checks a plain implementation of that kernel:

       cc -std=c11 -o reader reader.c -lm && ./reader refimpl/check/vectors/kernels/pair_distances.json

   It prints the number of cases and of differences; the exit code is 0 if there is none. There is no
   library of JSON here: the file has a case a line, its keys are in a fixed order, and an array is
   {"dtype": ..., "shape": [...], "values": [...]}. strtod reads the hexadecimal floats. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 20, MOST = 4096 };

struct array {
    long shape[2];
    long count;
    double values[MOST];
};

/* The numbers of a list that begins at `text`, quoted or not; returns how many. */
static long numbers(const char *text, double *into, long most) {
    long count = 0;
    text = strchr(text, '[') + 1;
    while (*text != ']') {
        char *end;
        if (*text == '"' || *text == ',' || *text == ' ') {
            text++;
            continue;
        }
        if (count == most) {
            fprintf(stderr, "more than %ld numbers\n", most);
            exit(2);
        }
        into[count++] = strtod(text, &end);
        if (end == text) {
            fprintf(stderr, "no number: %.20s\n", text);
            exit(2);
        }
        text = end;
    }
    return count;
}

/* The array that stands under a key behind `text`. */
static void read_array(const char *text, const char *key, struct array *into) {
    double shape[2] = {1, 1};
    const char *place = strstr(text, key);
    if (place == NULL) {
        fprintf(stderr, "%s is not there\n", key);
        exit(2);
    }
    numbers(strstr(place, "\"shape\""), shape, 2);
    into->shape[0] = (long)shape[0];
    into->shape[1] = (long)shape[1];
    into->count = numbers(strstr(place, "\"values\""), into->values, MOST);
}

int main(int count, char **names) {
    static char line[LINE];
    static struct array Z, first, second, want;
    long cases = 0, differences = 0;
    FILE *file = count > 1 ? fopen(names[1], "r") : NULL;
    if (file == NULL || fgets(line, LINE, file) == NULL || !strstr(line, "\"refimpl-vectors\", \"version\": 1")) {
        fprintf(stderr, "no vectors of version 1\n");
        return 2;
    }
    double tol = strtod(strstr(line, "\"tol\": \"") + 8, NULL);
    while (fgets(line, LINE, file) != NULL && line[0] == '{') {
        read_array(line, "\"Z\"", &Z);
        read_array(line, "\"first\"", &first);
        read_array(line, "\"second\"", &second);
        read_array(strstr(line, "\"expected\""), "\"squares\"", &want);
        cases++;
        for (long p = 0; p < want.count; p++) {
            double got = 0;
            for (long c = 0; c < Z.shape[1]; c++) {
                double difference = Z.values[(long)first.values[p] * Z.shape[1] + c]
                    - Z.values[(long)second.values[p] * Z.shape[1] + c];
                got += difference * difference;
            }
            if (!(fabs(got - want.values[p]) <= tol * fabs(want.values[p]))) {
                printf("case %ld, pair %ld: %a expected; got %a\n", cases, p, want.values[p], got);
                differences++;
            }
        }
    }
    fclose(file);
    printf("%ld cases, %ld differences\n", cases, differences);
    return differences ? 1 : 0;
}
