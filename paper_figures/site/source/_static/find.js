// The field that takes a printed line ("A.2 line 7", "eq. 6", "(6)", "7.3:5", "Theorem 5", "LMNN eq. 6"), a figure or
// table, a name of the API, a guide, or a word of a step. Enter goes where the field leaves no choice. Where several papers have
// the number, the list stays open; it begins with the paper that was read last.
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

  const PAPERS = [
    [/\blmnn\b/, "LMNN"],
    [/\bboostmap\b/, "BoostMap"],
    [/\bboosted distance\b/, "Boosted Distance"],
    [/\b(boosted )?(search )?forest\b/, "Boosted Search Forest"],
    [/\bftune\b/, "FTUNE"],
  ];
  const READ_LAST = "refimpl-paper";
  const readLast = () => {
    try { return localStorage.getItem(READ_LAST); } catch { return null; } // a page from the disk may not
  };

  const plain = (text) =>
    text
      .toLowerCase()
      .replace(/\b(algorithms?|alg|sections?|sec|lines?|steps?|l)\b\.?|§/g, " ")
      .replace(/\b(equations?|eqs?|eqn)\b\.?\s*\(?(?=[\w.])/g, "eq")
      .replace(/\btables?\b\.?\s*(?=\d)/g, "table")
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
    const [pattern, paper] = PAPERS.find(([pattern]) => pattern.test(text)) ?? [];
    const number = pattern ? plain(text.replace(pattern, " ")) : "";
    const own = number ? lines.filter((line) => !line.paper || line.paper === paper) : [];
    const inPaper = own.length ? ranked(own, number, number) : [];
    return inPaper.length ? inPaper : ranked(lines, plain(text), text);
  };

  const ranked = (among, asked, text) => {
    if (!asked) return [];
    const last = readLast();
    const found = among
      .map((line, place) => ({ line, place, rank: rank(line, asked, text) }))
      .filter((entry) => entry.rank !== null);
    const other = (entry) => Number(entry.line.paper !== last);
    found.sort((a, b) => a.rank - b.rank || other(a) - other(b) || a.place - b.place);
    return found;
  };

  // The one place that is meant; undefined where several fit as well.
  const meant = (found) =>
    found.length && (found.length === 1 || found[1].rank > found[0].rank || one(found)) ? found[0].line : undefined;
  const one = (found) => {
    const best = found.filter((entry) => entry.rank === found[0].rank);
    return !data || (best[0].rank > 1 && best.every((entry) => entry.line.paper && entry.line.paper === best[0].line.paper));
  };

  const show = () => {
    const found = search();
    const matches = found.map((entry) => entry.line);
    const items = matches.slice(0, MOST).map((line) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = line.to;
      link.dataset.paper = line.paper;
      link.textContent = [line.paper, line.name ?? line.id.slice(line.id.indexOf(":") + 1)].join(" ").trim();
      const words = line.words.length > 90 ? line.words.slice(0, 90) + "…" : line.words;
      item.append(link, words === line.name ? "" : " " + words);
      return item;
    });
    if (!matches.length && field.value.trim()) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = `${document.documentElement.dataset.content_root}search.html?q=${encodeURIComponent(field.value.trim())}`;
      link.textContent = "Search all pages";
      item.append("Nothing has this number, name or words. ", link);
      items.push(item);
    }
    listed.replaceChildren(...items);
    listed.hidden = !items.length;
    return meant(found);
  };

  const close = () => {
    listed.hidden = true;
  };
  field.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (show()) listed.querySelector("a").click();
    else listed.querySelector("a")?.focus();
  });
  listed.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    close();
    try {
      if (link.dataset.paper) localStorage.setItem(READ_LAST, link.dataset.paper);
    } catch {} // a page from the disk may not
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
