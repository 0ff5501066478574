// A program for `python -m refimpl.check -- node program.js`: it has two kernels and skips the others.
"use strict";
const readline = require("readline");

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

function matrix(array, number) {
  if (array.generator) throw new Error("generated arrays are not read here");
  const values = array.values.map(number);
  const [rows, columns] = array.shape;
  return Array.from({ length: rows }, (_, i) => values.slice(i * columns, (i + 1) * columns));
}

const bits = (word) => word.toString(2).replaceAll("0", "").length;
const kernels = {
  hamming_distances({ Q, X }) {
    const rows = matrix(X, BigInt);
    const distances = matrix(Q, BigInt).flatMap((q) =>
      rows.map((x) => q.reduce((sum, word, place) => sum + bits(word ^ x[place]), 0)));
    return { distances: { dtype: "int32", shape: [Q.shape[0], X.shape[0]], values: distances } };
  },
  weighted_l1({ Q, A, X }) {
    const [weights, rows] = [matrix(A, hexFloat), matrix(X, hexFloat)];
    return { D: matrix(Q, hexFloat).map((q, i) =>
      rows.map((x) => q.reduce((s, v, c) => s + weights[i][c] * Math.abs(v - x[c]), 0))) };
  },
};

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const asked = JSON.parse(line);
  const kernel = kernels[asked.kernel];
  const answer = kernel ? { result: kernel(asked.arguments) } : { skip: true };
  console.log(JSON.stringify({ id: asked.id, ...answer }));
});
