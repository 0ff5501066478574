// Sliders over the rounds of a run: they show the values and the picture of a round.
"use strict";
for (const section of document.querySelectorAll("[data-section]")) {
  const run = RUNS[section.dataset.section], slider = section.querySelector("input[type=range]");
  if (!run || !slider) continue;
  const show = () => {
    section.querySelector("output").value = slider.value;
    for (const [id, list] of Object.entries(run.texts)) {
      const box = id ? document.getElementById(id).querySelector(".values") : section.querySelector(".drawn");
      const html = list[slider.value - 1].map((piece) => run.pieces[piece]).join("");
      if (box && box.innerHTML !== html) box.innerHTML = html;
    }
    section.dispatchEvent(new Event("round"));
  };
  slider.addEventListener("input", show);
  if (slider.value !== "1") show(); // a browser may keep the slider's place
}
