// Reads the vectors of weighted_l1 and checks a plain implementation of that kernel:
//     node reader.js refimpl/check/vectors/kernels/weighted_l1.json
// It prints the number of cases and of differences; the exit code is 0 if there is none.
"use strict";
const fs = require("fs");

// 0x1.8p+1 -> 3; also inf, -inf, nan. Every step is exact, so the result is, too.
function hexFloat(text) {
  if (text === "nan") return NaN;
  if (text === "inf" || text === "-inf") return text === "inf" ? Infinity : -Infinity;
  const parts = /^(-?)0x([01])(?:\.([0-9a-f]+))?p([+-]\d+)$/.exec(text);
  if (!parts) throw new Error("no hexadecimal float: " + text);
  const digits = parts[3] || "";
  let value = parseInt(parts[2] + digits, 16); // at most 53 bits
  let exponent = parseInt(parts[4], 10) - 4 * digits.length;
  while (exponent > 900) { value *= 2 ** 900; exponent -= 900; }
  while (exponent < -900 && digits.length === 0) { value *= 2 ** -900; exponent += 900; }
  // a denormal: its digits are exact multiples of 2**-1074, so one division rounds nothing
  value = exponent < -900 ? value * 2 ** -900 * 2 ** (exponent + 900) : value * 2 ** exponent;
  return parts[1] ? -value : value;
}

function matrix(array) {
  const values = array.values.map(hexFloat);
  const [rows, columns] = array.shape;
  return Array.from({ length: rows }, (_, i) => values.slice(i * columns, (i + 1) * columns));
}

function weightedL1(Q, A, X) {
  return Q.map((q, i) => X.map((x) => q.reduce((s, v, c) => s + A[i][c] * Math.abs(v - x[c]), 0)));
}

const content = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
if (content.format !== "refimpl-vectors" || content.version !== 1) throw new Error("unknown format");
const tol = hexFloat(content.outputs[0].tol);
let differences = 0;
for (const one of content.cases) {
  const { Q, A, X } = one.arguments;
  const got = weightedL1(matrix(Q), matrix(A), matrix(X)).flat();
  one.expected.D.values.map(hexFloat).forEach((want, place) => {
    if (!(Math.abs(got[place] - want) <= tol * Math.abs(want))) {
      console.log(`${one.id}, element ${place}: ${want} expected; got ${got[place]}`);
      differences += 1;
    }
  });
}
console.log(`${content.cases.length} cases, ${differences} differences`);
process.exit(differences ? 1 : 0);
