// Text on the colours of doubt, in Streamlit's own themes: its --st-* colours are those of its release 1.67.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const THEMES = {
  light: { text: "#2F2D2B", back: "#FFFFFF", orange: "#E0682B", blue: "#244FB4", violet: "#6F33B8" },
  dark: { text: "#EDEBE8", back: "#171614", orange: "#F2A56D", blue: "#85B8F8", violet: "#BF8EF7" },
};
const READABLE = 4.5; // What WCAG 2 asks of text of this size.
const css = readFileSync(new URL("../../app/viewer/viewer.css", import.meta.url), "utf-8");
const share = (pattern) => Number(pattern.exec(css)[1]) / 100;
const doubt = (level) => share(new RegExp(`\\.lg-d${level} \\{ background: color-mix\\(in srgb, var\\(--lg-doubt\\) (\\d+)%`));
const quiet = share(/--lg-quiet: color-mix\(in srgb, var\(--st-text-color\) (\d+)%/);

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
const mix = (one, other, part) => one.map((value, i) => value * part + other[i] * (1 - part));

function luminance(colour) {
  const [r, g, b] = colour.map((value) => (value <= 10.3 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

for (const [name, theme] of Object.entries(THEMES)) {
  const [text, back, orange, blue, violet] = ["text", "back", "orange", "blue", "violet"].map((key) => channels(theme[key]));
  const readable = (colour, level, what) => {
    const found = contrast(colour, mix(orange, back, level === 0 ? 0 : doubt(level)));
    assert.ok(found >= READABLE, `${what} on doubt ${level} in ${name}: ${found.toFixed(2)}`);
  };

  test(`every token can be read on every colour of doubt: ${name}`, () => {
    for (let level = 0; level <= 6; level += 1) readable(text, level, "text");
    for (const [what, colour, last] of [["thinking", mix(text, back, quiet), 3], ["call", blue, 3], ["control", violet, 2]]) {
      for (let level = 0; level <= last; level += 1) readable(colour, level, what);
    }
  });
}

test("from where a channel's colour cannot be read, and where tokens are marked, tokens have the colour of text", () => {
  const rule = /([^{}]+)\{ color: var\(--lg-text\); \}/g;
  const bare = (selectors) => selectors.replaceAll(/\/\*.*?\*\//gs, "").split(",").map((each) => each.trim());
  const plain = [...css.matchAll(rule)].flatMap(([, selectors]) => bare(selectors));
  const doubtful = [".lg-control.lg-d3", ".lg-pill.lg-d3", ".lg-t.lg-d4", ".lg-t.lg-d5", ".lg-t.lg-d6"];
  for (const selector of [...doubtful, ".lg-t.lg-marked"]) assert.ok(plain.includes(selector), selector);
});

test("a control token's own background lies under the colours of doubt, and its lower edge over theirs", () => {
  const at = (selector) => css.indexOf(`\n${selector} {`);
  assert.ok(at(".lg-pill") > 0);
  for (let level = 1; level <= 6; level += 1) assert.ok(at(".lg-pill") < at(`.lg-d${level}`), `doubt ${level}`);
  assert.ok(at(".lg-t.lg-d5") < at(".lg-t.lg-d6") && at(".lg-t.lg-d6") < at(".lg-t.lg-pill"));
  assert.match(css.slice(at(".lg-t.lg-pill")).split("}")[0], /border-bottom-color: var\(--st-violet-color\)/);
});

test("what is quiet already is not faded further", () => {
  for (const [, selector, body] of css.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    if (/(?:^|[^-])opacity:/.test(body)) assert.match(selector, /:disabled|50%/, `${selector.trim()} is faded`);
  }
});
