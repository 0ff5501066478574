"use strict";
(() => {
  const form = document.getElementById("filters");
  const field = (name) => document.getElementById("filter-" + name);
  const items = [...document.querySelectorAll("#summary tbody tr, article")];

  function filter() {
    const words = field("text").value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of items) {
      const same = (name) => !field(name).value || item.dataset[name] === field(name).value;
      const found = words.every((word) => item.dataset.text.includes(word));
      item.hidden = !(found && same("paper") && same("kind") && same("state"));
    }
    for (const section of document.querySelectorAll("section.paper")) {
      section.hidden = !section.querySelector("article:not([hidden])");
    }
    const shown = items.filter((item) => item.localName === "article" && !item.hidden).length;
    field("count").textContent = shown + " shown";
  }

  function key(row, column) {
    const cell = row.cells[column];
    const text = cell.dataset.sort ?? cell.textContent.trim();
    const number = text === "" || text === "–" ? NaN : Number(text);
    return { text, number };
  }

  function sort(header) {
    const table = header.closest("table");
    const column = header.cellIndex;
    const falling = header.getAttribute("aria-sort") === "ascending";
    for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", falling ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows].map((row) => ({ row, ...key(row, column) }));
    const numbers = rows.some((item) => !Number.isNaN(item.number));
    rows.sort((a, b) => {
      if (numbers && Number.isNaN(a.number) !== Number.isNaN(b.number)) return Number.isNaN(a.number) ? 1 : -1;
      const order = numbers && !Number.isNaN(a.number)
        ? a.number - b.number
        : a.text.localeCompare(b.text, "en", { numeric: true });
      return falling ? -order : order;
    });
    table.tBodies[0].append(...rows.map((item) => item.row));
  }

  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  for (const button of document.querySelectorAll("table.sortable th button")) {
    button.addEventListener("click", () => sort(button.closest("th")));
  }
  filter();
})();
