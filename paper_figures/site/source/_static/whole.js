// Whole algorithms: a step and the lines that do it are marked together; a slider over the rounds.
"use strict";
for (const section of document.querySelectorAll("section.whole")) {
  const parts = [...section.querySelectorAll("[data-lines]")];
  const names = (part) => part.dataset.lines.split(" ");
  const mark = (chosen, scroll) => {
    const wanted = chosen ? names(chosen) : [];
    for (const part of parts) part.classList.toggle("both", names(part).some((name) => wanted.includes(name)));
    if (!scroll || !chosen) return;
    const other = parts.find((part) => part.matches("li") !== chosen.matches("li") && part.classList.contains("both"));
    const box = other?.closest(".steps, .functions");
    if (box) box.scrollTop += other.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
  };
  for (const part of parts) {
    part.addEventListener("mouseenter", () => mark(part, false));
    part.addEventListener("focus", () => mark(part, true));
    part.addEventListener("click", () => mark(part, true));
  }
  section.addEventListener("mouseleave", () => mark(section.querySelector("[data-lines]:focus"), false));

  const slider = section.querySelector("input[type=range]");
  if (!slider) continue;
  const { "": _, ...texts } = RUNS[section.dataset.section].texts; // without the pictures
  const { pieces } = RUNS[section.dataset.section];
  const show = () => {
    section.querySelector("output").value = slider.value;
    for (const [id, list] of Object.entries(texts)) {
      const html = list[slider.value - 1].map((piece) => pieces[piece]).join("");
      document.getElementById(id).querySelector(".values").innerHTML = html;
    }
  };
  slider.addEventListener("input", show);
  if (slider.value !== "1") show(); // a browser may keep the slider's place
}
