"use strict";
(() => {
  // ------------------------------------------------------------------ folded places that are named
  function reveal() {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { return; } // not an address of this page
    const target = id && document.getElementById(id);
    if (!target) return;
    for (let place = target; place; place = place.parentElement) {
      if (place.localName === "details") place.open = true;
    }
    const body = target.querySelector(":scope > details.body");
    if (body) body.open = true;
    target.scrollIntoView();
  }

  // ----------------------------------------------------------------------------- the first page
  const form = document.getElementById("filters");
  const names = ["find", "paper", "kind", "state"];
  const field = (name) => form.elements.namedItem(name);
  const rows = [...document.querySelectorAll("table.list tbody tr")];
  const list = document.getElementById("list");
  const said = (row) => {
    const card = document.querySelector(`article.card[data-paper="${row.dataset.paper}"]`);
    const paper = ["h2", ".source"].map((part) => card.querySelector(part).textContent);
    return [row.dataset.paper, ...paper, row.textContent, row.dataset.text].join(" ").toLowerCase();
  };

  // A word fits at the start of a word; one that ends with a digit fits whole numbers alone.
  function pattern(word) {
    const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return new RegExp("(?<![a-z0-9])" + escaped + (/\d$/.test(word) ? "(?!\\d)" : ""));
  }

  function filter() {
    const chosen = Object.fromEntries(names.map((name) => [name, field(name).value.trim()]));
    const active = names.some((name) => chosen[name]);
    const words = chosen.find.toLowerCase().split(/\s+/).filter(Boolean).map(pattern);
    for (const row of rows) {
      const text = words.length ? said(row) : "";
      row.hidden = !(
        words.every((word) => word.test(text)) &&
        (!chosen.paper || row.dataset.paper === chosen.paper) &&
        (!chosen.kind || row.dataset.kind === chosen.kind) &&
        (!chosen.state || row.dataset.states.split(" ").includes(chosen.state))
      );
    }
    const shown = rows.filter((row) => !row.hidden).length;
    const before = document.body.classList.contains("searching");
    if (active !== before) list.open = active;
    document.body.classList.toggle("searching", active);
    document.getElementById("nothing").hidden = shown > 0;
    document.getElementById("filter-count").textContent = active ? shown + " of " + rows.length + " found" : "";
    return chosen;
  }

  function address(chosen) {
    const query = new URLSearchParams(names.filter((n) => chosen[n]).map((n) => [n, chosen[n]]));
    const text = query.toString();
    return location.pathname + (text ? "?" + text : "");
  }

  function fromAddress() {
    const query = new URLSearchParams(location.search);
    for (const name of names) field(name).value = query.get(name) ?? "";
    filter();
  }

  // A choice is a step that the back button undoes; so is a word, once the field is left.
  function remember(step) {
    const wanted = address(filter());
    if (wanted === location.pathname + location.search) return;
    history[step ? "pushState" : "replaceState"](null, "", wanted);
  }

  if (form) {
    let typing = false;
    form.addEventListener("input", (event) => {
      const isText = event.target.name === "find";
      remember(!isText || !typing);
      typing = isText;
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(() => { typing = false; remember(true); }));
    window.addEventListener("popstate", () => { typing = false; fromAddress(); });
    fromAddress();
  }

  // ------------------------------------------- a picture answers once it is pointed at or reached
  for (const picture of document.querySelectorAll("figure .picture")) {
    const image = picture.querySelector("img");
    const wake = () => {
      const alive = document.createElement("object");
      alive.addEventListener("load", () => { image.style.visibility = "hidden"; });
      alive.type = "image/svg+xml";
      alive.className = image.className;
      alive.setAttribute("aria-label", image.alt);
      alive.data = image.src;
      picture.append(alive);
      for (const way of ["pointerenter", "focus"]) picture.removeEventListener(way, wake);
    };
    picture.tabIndex = 0;
    picture.setAttribute("role", "group");
    picture.setAttribute("aria-label", image.alt);
    for (const way of ["pointerenter", "focus"]) picture.addEventListener(way, wake);
  }

  window.addEventListener("hashchange", reveal);
  reveal();
})();
