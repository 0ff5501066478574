// Return the texts of an element whose contrast is too low (WCAG 2, level AA), and how many pairs
// of colours were seen.
const parse = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
const light = ([r, g, b]) => {
  const part = (v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
};
const behind = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const colour = parse(getComputedStyle(e).backgroundColor);
    if (colour.length === 3 || colour[3] === 1) return colour;
    if (colour[3] > 0) throw new Error("a colour that is half transparent: " + e.outerHTML.slice(0, 80));
  }
  return [255, 255, 255];
};
const weak = new Map();
const pairs = new Set();
const check = (element, style, words) => {
  const ink = parse(style.color);
  const paper = behind(element);
  const [low, high] = [light(ink), light(paper)].sort((a, b) => a - b);
  const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
  const key = ink + " on " + paper;
  pairs.add(key);
  if ((high + 0.05) / (low + 0.05) < (large ? 3 : 4.5)) weak.set(key, words.trim().slice(0, 40));
};
const within = document.querySelector(arguments[0]);
const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const element = node.parentElement;
  if (!node.data.trim() || ["SCRIPT", "STYLE"].includes(element.tagName) || !element.checkVisibility()) continue;
  check(element, getComputedStyle(element), node.data);
}
for (const field of document.querySelectorAll("input[placeholder]")) {
  check(field, getComputedStyle(field, "::placeholder"), field.placeholder);
}
return [[...weak], pairs.size];
