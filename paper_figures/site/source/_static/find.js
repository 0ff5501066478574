// The field that takes a printed line: "A.2 line 7", "eq. 6", "(6)", "7.3:5", "Theorem 5", or a word
// of a step.
(() => {
  "use strict";
  const form = document.querySelector("form.find");
  if (!form) return;
  const field = form.querySelector("input");
  const listed = form.querySelector("ol");
  const MOST = 12;
  const SHORT = { theorem: "thm", definition: "def", figure: "fig" };

  const data = document.querySelector("script.lines");
  const lines = data
    ? JSON.parse(data.textContent)
    : [...document.querySelectorAll("article.line")].map((line) => ({
        id: line.dataset.id,
        to: "#" + line.id,
        paper: "",
        words: line.querySelector(".step p").textContent,
      }));

  const plain = (text) =>
    text
      .toLowerCase()
      .replace(/\b(algorithms?|alg|sections?|sec|lines?|steps?|l)\b\.?|§/g, " ")
      .replace(/\b(equations?|eqs?|eqn)\b\.?\s*\(?(?=[\w.])/g, "eq")
      .replace(/\b(theorem|thm|definition|def|figure|fig)s?\b\.?\s*(?=\d)/g, (_, kind) => SHORT[kind] ?? kind)
      .replace(/^\s*\((\w[\w.]*)\)\s*$/, "eq$1")
      .replace(/[()]/g, " ")
      .trim()
      .split(/[\s:,]+/)
      .join(":");

  // The lower, the better; null where a line is not meant.
  const rank = (line, asked, text) => {
    const id = line.id.toLowerCase();
    const key = id.slice(id.indexOf(":") + 1);
    if (id === asked || key === asked) return 0;
    if (key === "eq" + asked) return 1;
    if (key.startsWith(asked + ":")) return 2;
    if (key.endsWith(":" + asked)) return 3;
    if (text.length > 2 && line.words.toLowerCase().includes(text)) return 4;
    return null;
  };

  const search = () => {
    const text = field.value.trim().toLowerCase();
    const asked = plain(text);
    if (!asked) return [];
    const ranked = lines
      .map((line, place) => ({ line, place, rank: rank(line, asked, text) }))
      .filter((entry) => entry.rank !== null);
    ranked.sort((a, b) => a.rank - b.rank || a.place - b.place);
    return ranked.map((entry) => entry.line);
  };

  const show = () => {
    const matches = search();
    const items = matches.slice(0, MOST).map((line) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = line.to;
      link.textContent = [line.paper, line.id.slice(line.id.indexOf(":") + 1)].join(" ").trim();
      item.append(link, " " + (line.words.length > 90 ? line.words.slice(0, 90) + "…" : line.words));
      return item;
    });
    if (!matches.length && field.value.trim()) {
      const item = document.createElement("li");
      item.textContent = "No printed line has this number or these words.";
      items.push(item);
    }
    listed.replaceChildren(...items);
    listed.hidden = !items.length;
  };

  const close = () => {
    listed.hidden = true;
  };
  field.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show();
    const first = listed.querySelector("a");
    if (first) first.click();
  });
  listed.addEventListener("click", (event) => {
    if (event.target.closest("a")) close();
  });
  form.addEventListener("keydown", (event) => {
    const links = [field, ...listed.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      close();
      field.focus();
    } else if (step && at >= 0 && links[at + step]) {
      event.preventDefault();
      links[at + step].focus();
    }
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input:not([type=range]), textarea, select, [contenteditable]");
    if (event.key !== "g" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
    field.select();
    form.scrollIntoView({ block: "center" });
  });
})();
