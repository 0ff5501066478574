// A program for `python -m refimpl.check -- node program.js`: it has one kernel and skips the others.
"use strict";
const readline = require("readline");

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const asked = JSON.parse(line);
  if (asked.kernel !== "hamming_distances") {
    console.log(JSON.stringify({ id: asked.id, skip: true }));
    return;
  }
  const rows = (array) =>
    Array.from({ length: array.shape[0] }, (_, i) =>
      array.values.slice(i * array.shape[1], (i + 1) * array.shape[1]).map(BigInt));
  const bits = (word) => word.toString(2).replaceAll("0", "").length;
  const { Q, X } = asked.arguments;
  const distances = rows(Q).flatMap((q) =>
    rows(X).map((x) => q.reduce((sum, word, place) => sum + bits(word ^ x[place]), 0)));
  const shape = [Q.shape[0], X.shape[0]];
  const result = { distances: { dtype: "int32", shape, values: distances } };
  console.log(JSON.stringify({ id: asked.id, result }));
});
