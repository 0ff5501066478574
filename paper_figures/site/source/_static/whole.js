// Whole algorithms: a step and the lines that do it are marked together.
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
}
