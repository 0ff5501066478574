// The reader: arrows from round to round, J and K from line to line, and permalinks.
(() => {
  "use strict";
  const sections = [...document.querySelectorAll("section.printed")];
  if (!sections.length) return;
  const lines = [...document.querySelectorAll("article.line")];

  const move = (section, step) => {
    const slider = section.querySelector("input[type=range]");
    if (!slider) return say("This section has no rounds.");
    const before = slider.value;
    slider.value = Number(before) + step;
    if (slider.value !== before) slider.dispatchEvent(new Event("input"));
  };

  // The picture of the section that is read stands beside it, under the outline of the page.
  const now = document.createElement("div");
  now.className = "now";
  now.innerHTML = "<p></p><div></div>";
  document.querySelector(".sidebar-secondary-items")?.append(now);
  let read = null;
  const mirror = () => {
    const drawn = read?.querySelector(".drawn");
    now.hidden = !drawn;
    if (!drawn) return;
    const output = read.querySelector(".rounds output");
    const label = read.querySelector(".rounds input")?.getAttribute("aria-label").split(" of ")[0];
    now.firstElementChild.textContent = output ? `${label}: ${output.value}` : "";
    now.lastElementChild.innerHTML = drawn.innerHTML;
  };
  const follow = () => {
    const at = sections.findLast((section) => section.getBoundingClientRect().top <= innerHeight / 2) ?? null;
    if (at !== read) {
      read = at;
      mirror();
    }
  };
  addEventListener("scroll", follow, { passive: true });
  for (const section of sections) section.addEventListener("round", mirror);

  // The bar of a section stays under the theme's own.
  const header = document.querySelector(".bd-header");
  const below = () => {
    document.documentElement.style.setProperty("--reader-top", `${header?.offsetHeight ?? 0}px`);
    for (const section of sections) {
      section.style.setProperty("--bar", `${section.querySelector(".bar").offsetHeight}px`);
    }
  };
  addEventListener("resize", below);
  below();

  const top = () => parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
  const bar = (line) => line.closest("section.printed").querySelector(".bar").offsetHeight;
  const current = () => {
    const focused = document.activeElement?.closest?.("article.line");
    if (focused) return focused;
    const above = lines.filter((line) => line.getBoundingClientRect().top <= top() + bar(line) + 8);
    return above.at(-1) ?? null;
  };
  const go = (step) => {
    const place = lines.indexOf(current());
    const next = lines[Math.min(Math.max(place + step, 0), lines.length - 1)];
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
    history.replaceState(null, "", "#" + next.id);
    mark(next);
  };
  const mark = (line) => {
    for (const link of document.querySelectorAll(".bar .lines a[aria-current]")) link.removeAttribute("aria-current");
    const link = document.querySelector(`.bar .lines a[href="#${CSS.escape(line.id)}"], .bar .lines a[href="#${line.id}"]`);
    link?.setAttribute("aria-current", "true");
    if (link) link.parentElement.scrollLeft = link.offsetLeft - link.parentElement.clientWidth / 2;
  };

  document.addEventListener("keydown", (event) => {
    const slider = event.target.matches?.("input[type=range]");
    const field = !slider && event.target.closest?.("input, textarea, select, [contenteditable]");
    if (slider && event.key.startsWith("Arrow")) return; // it moves itself
    if (event.ctrlKey || event.metaKey || event.altKey || field) return;
    if (event.target.closest?.("pre, .formula, .lines") && event.key.startsWith("Arrow")) return; // these scroll
    if (event.key === "j" || event.key === "k") {
      event.preventDefault();
      go(event.key === "j" ? 1 : -1);
    } else if (event.key === "s") {
      meanings();
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const at = current()?.closest("section.printed") ?? sections.find((s) => s.getBoundingClientRect().bottom > top());
      if (!at) return;
      event.preventDefault();
      move(at, event.key === "ArrowRight" ? 1 : -1);
    }
  });

  // A short word at the bottom of the screen, which screen readers hear.
  const said = document.createElement("div");
  said.className = "said";
  said.setAttribute("role", "status");
  document.body.append(said);
  let quiet;
  const say = (text) => {
    said.textContent = text;
    clearTimeout(quiet);
    quiet = setTimeout(() => (said.textContent = ""), 3000 + 50 * text.length);
  };

  const meaning = (symbol) => `${symbol.textContent}: ${symbol.title}`;
  const meanings = () => {
    const symbols = current()?.querySelectorAll(".code > .highlight .symbol") ?? [];
    const listed = [...new Set([...symbols].map(meaning))];
    say(listed.join(" · ") || "This line has no symbols.");
  };

  const copied = (address) => {
    // where a page has no clipboard, a text field that is selected does
    const area = document.createElement("textarea");
    area.value = address;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  };
  for (const link of document.querySelectorAll("article.line a.number")) {
    link.addEventListener("click", async () => {
      const line = link.closest("article.line");
      mark(line);
      let done = true;
      try {
        await navigator.clipboard.writeText(link.href);
      } catch {
        done = copied(link.href);
      }
      say(done ? `The permalink of ${line.dataset.id} is copied.` : link.href);
    });
  }
  for (const symbol of document.querySelectorAll("article.line .symbol")) {
    symbol.addEventListener("click", () => say(meaning(symbol))); // a phone has no hover
  }
  follow();
  if (location.hash) {
    const line = document.getElementById(location.hash.slice(1));
    if (line?.matches("article.line")) {
      mark(line);
      line.scrollIntoView();
    }
  }
})();
