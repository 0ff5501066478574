/* What sorting a column of differences A[i] - B[j] leaves to the rounds: the distinct values of A's
   and of B's column, by numbers from 0. There are no bins unless sums over equal values of A save
   work. */
#ifndef REFIMPL_COLUMNS_H
#define REFIMPL_COLUMNS_H

#include <stdint.h>

#include <vector>

struct Column {
    std::vector<uint32_t> order;  /* rows of A by value, but for the most frequent value */
    std::vector<uint32_t> ends;   /* where the rows of each value end */
    std::vector<uint32_t> b_code; /* the value of each row of B */
    std::vector<uint32_t> bin;    /* of values u of A and v of B, at u * n_v + v */
    uint32_t common = 0;          /* the most frequent value of A */
    uint32_t n_v = 0, n_bins = 0;
};

#endif
