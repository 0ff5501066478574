"use strict";
// The source of a test comes when the test is opened.
(() => {
  const sources = JSON.parse(document.querySelector("script.tests").textContent);
  for (const test of document.querySelectorAll("details.test")) {
    const fill = () => {
      if (test.open && !test.querySelector("pre")) test.insertAdjacentHTML("beforeend", sources[test.dataset.test] ?? "");
    };
    test.addEventListener("toggle", fill);
    fill();
  }
})();
