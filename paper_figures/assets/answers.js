// `picture` has the names of the series, the lines that points say, and the places of the points.
(() => {
  const svg = document.documentElement, { names, lines, places, radius } = picture;
  const make = (name, attributes) => {
    const made = svg.appendChild(document.createElementNS("http://www.w3.org/2000/svg", name));
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    return made;
  };

  // ------------------------------------------------------------------------ what a point says
  const points = places.map(([series, cx, cy, ...said]) => {
    const words = said.map((line) => lines[line]);
    const point = make("circle", { class: `point of${series}`, cx, cy, r: radius, role: "img", "aria-label": words.join(", ") });
    point.dataset.words = words.join("\n");
    return point;
  });
  const words = make("g", { class: "words" });
  words.style.pointerEvents = "none";

  // One point is reached by Tab, the others from it by the arrows.
  function reach(point) {
    for (const other of points) other.tabIndex = -1;
    const first = point ?? points.find((other) => !other.classList.contains("off"));
    if (first) first.tabIndex = 0;
  }
  reach();

  function say(point) {
    words.replaceChildren();
    if (!point) return;
    const back = words.appendChild(make("rect")), text = words.appendChild(make("text"));
    point.dataset.words.split("\n").forEach((line, i) => {
      const span = text.appendChild(make("tspan"));
      span.textContent = line;
      span.setAttribute("x", 5);
      span.setAttribute("y", 11 + 11 * i);
    });
    const box = text.getBBox(), whole = svg.viewBox.baseVal;
    const width = box.width + 10, height = box.height + 6;
    back.setAttribute("width", width);
    back.setAttribute("height", height);
    back.setAttribute("rx", 3);
    const x = +point.getAttribute("cx"), y = +point.getAttribute("cy");
    const left = Math.max(2, Math.min(x + 9, whole.width - width - 2));
    const top = y > height + 12 ? y - height - 9 : y + 9;
    words.setAttribute("transform", `translate(${left} ${top})`);
  }

  svg.addEventListener("pointerover", (event) => say(event.target.closest(".point")));
  svg.addEventListener("pointerleave", () => say(null));
  svg.addEventListener("focusin", (event) => {
    const point = event.target.closest(".point");
    if (point) reach(point);
    say(point);
  });
  svg.addEventListener("focusout", () => say(null));
  svg.addEventListener("keydown", (event) => {
    if (event.key === "Escape") say(null);
    const key = event.target.closest(".key"), place = points.indexOf(event.target);
    if (key && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      turn(key);
    }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (place < 0 || !step) return;
    event.preventDefault();
    let next = place;
    do next = (next + step + points.length) % points.length;
    while (points[next].classList.contains("off") && next !== place);
    points[next].focus();
  });

  // -------------------------------------------------------------------- curves that go off and on
  const keys = [...svg.querySelectorAll(".key")];
  const series = (part) => [...part.classList].find((name) => /^of\d+$/.test(name));

  function turn(key) {
    const off = !key.classList.contains("off");
    for (const part of svg.querySelectorAll("." + series(key))) part.classList.toggle("off", off);
    for (const part of keys) {
      if (series(part) === series(key)) part.setAttribute("aria-pressed", String(!off));
    }
    reach();
    say(null);
  }

  const met = new Set();
  for (const key of keys) {
    key.addEventListener("click", () => turn(key));
    if (met.has(series(key))) continue; // a marker and its text are one key
    met.add(series(key));
    key.tabIndex = 0;
    key.setAttribute("role", "button");
    key.setAttribute("aria-pressed", "true");
    key.setAttribute("aria-label", names[+series(key).slice(2)]);
  }
})();
