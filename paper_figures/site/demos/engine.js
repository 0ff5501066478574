"use strict";
// Shows the frame of the sliders' places. All numbers were computed by refimpl beforehand.
const data = JSON.parse(document.getElementById("data").textContent);
const sliders = data.sliders.map(({id}) => document.getElementById(id));
const image = document.getElementById("picture"), curve = document.getElementById("curve");
const outputs = [...document.querySelectorAll("[data-value]")];

function frameAt(places) {
  const index = places.reduce((n, place, i) => n * data.sliders[i].values.length + place, 0);
  return data.frames[index];
}

function drawn(string, points) {
  if (!"@*^".includes(string[0])) return string;
  const at = [...string.slice(1)].map(c => points.slice(2 * parseInt(c, 36), 2 * parseInt(c, 36) + 2).join(" "));
  if (string[0] === "@") return at.map((place, i) => (i % 2 ? "L" : "M") + place).join("");
  const tail = string[0] === "*" ? "h0" : "m0-8l8 14h-16z";
  return at.map(place => "M" + place + tail).join("");
}

function element(name, attributes, words = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  made.textContent = words;
  return made;
}

function layer(name, string, points) {
  if (name !== "t") return element("path", {class: name, d: drawn(string, points)});
  const [x, y, anchor, ...words] = string.split(" ");
  return element("text", {x, y, "text-anchor": anchor}, words.join(" "));
}

function drawCurve(places) {
  const along = data.sliders.findIndex(({id}) => id === data.curve.slider);
  const name = data.names.indexOf(data.curve.value);
  const values = data.sliders[along].values.map((_, place) => {
    const others = places.with(along, place);
    return Number(frameAt(others).values[name]);
  });
  const low = Math.min(...values), high = Math.max(...values), span = high - low || 1;
  const x = i => 12 + i * 256 / Math.max(values.length - 1, 1), y = v => 76 - 48 * (v - low) / span;
  const here = places[along], at = Math.min(Math.max(x(here), 30), 240);
  curve.replaceChildren(
    element("path", {class: "model", d: "M" + values.map((v, i) => `${x(i)} ${y(v).toFixed(1)}`).join("L")}),
    element("path", {class: "here", d: `M${x(here)} ${y(values[here]).toFixed(1)}h0`}),
    element("text", {x: at, y: y(values[here]) - 10, "text-anchor": "middle"}, frameAt(places).values[name]),
  );
}

function show() {
  const places = sliders.map(slider => Number(slider.value)), frame = frameAt(places);
  const points = data.strings[frame.points].split(" ");
  const layers = [];
  for (let i = 0; i < frame.layers.length; i += 2) {
    layers.push(layer(data.classes[frame.layers[i]], data.strings[frame.layers[i + 1]], points));
  }
  image.replaceChildren(image.querySelector("title"), ...layers);
  for (const output of outputs) output.textContent = frame.values[data.names.indexOf(output.dataset.value)];
  sliders.forEach((slider, i) => {
    const value = data.sliders[i].values[places[i]];
    slider.setAttribute("aria-valuetext", value);
    slider.parentElement.querySelector("output").textContent = value;
  });
  drawCurve(places);
}

for (const slider of sliders) slider.addEventListener("input", () => {
  document.getElementById("seen").textContent = "";
  show();
});
for (const button of document.querySelectorAll("[data-places]")) button.addEventListener("click", () => {
  const places = JSON.parse(button.dataset.places);
  for (const slider of sliders) if (slider.id in places) slider.value = places[slider.id];
  document.getElementById("seen").textContent = button.dataset.seen;
  show();
});
try { // the theme that a reader chose on the site, where the browser lets a page from the disk see it
  const mode = localStorage.getItem("mode");
  if (mode === "light" || mode === "dark") document.documentElement.dataset.theme = mode;
} catch { /* the system's theme remains */ }
document.documentElement.classList.add("live");
show();
