import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

import { doubt, duration, logText, multiple, percent, short, visible, withMarks } from "../../app/viewer/numbers.js";
import { fillIn, Words } from "../../app/viewer/words.js";

const VIEWER = new URL("../../app/viewer/", import.meta.url);

test("places are filled, and choose by number", () => {
  assert.equal(fillIn("{n} {n:token|tokens}", { n: 1 }), "1 token");
  assert.equal(fillIn("{n} {n:token|tokens}", { n: 24 }), "24 tokens");
  assert.equal(fillIn("{a} {missing}", { a: "{b}", b: 1 }), "{b} {missing}");
  assert.equal(fillIn("{toString}", {}), "{toString}");
});

/** What a label needs of a DOM node. */
class Node {
  textContent = "";
  attributes = {};
  children = [];

  setAttribute(name, value) {
    this.attributes[name] = value;
  }

  contains(node) {
    return node === this || this.children.some((child) => child.contains(node));
  }
}

test("a switch of language rewrites the labels where they stand", async () => {
  const tables = { zh: { hello: "你好 {n}" }, en: { hello: "hello {n}" } };
  const words = new Words(async (lang) => tables[lang]);
  await words.use("zh");
  const [node, gone] = [new Node(), new Node()];
  let n = 1;
  words.label(node, (w) => w.t("hello", { n }));
  words.label(node, (w) => w.pick({ zh: "中", en: "en" }), "title");
  words.label(gone, (w) => w.t("hello", { n }));
  assert.equal(node.textContent, "你好 1");
  n = 2;
  words.refresh(node);
  assert.equal(node.textContent, "你好 2");
  words.forget(gone);
  await words.use("en");
  assert.equal(node.textContent, "hello 2");
  assert.equal(node.attributes.title, "en");
  assert.equal(gone.textContent, "你好 1");
});

test("a language that cannot be loaded leaves the old one", async () => {
  const words = new Words(async (lang) => {
    if (lang === "en") throw new Error("offline");
    return { hello: "你好" };
  });
  await words.use("zh");
  await assert.rejects(words.use("en"));
  assert.equal(words.t("hello"), "你好");
});

test("percentages keep the digits that say something", () => {
  const written = [1, 0.99995, 0.9994, 0.81302, 0.1, 0.0568, 0.00042, 0.000001, 0].map(percent);
  assert.deepEqual(written, ["100 %", "> 99.99 %", "99.94 %", "81.3 %", "10 %", "5.68 %", "0.042 %", "< 0.001 %", "0 %"]);
});

test("multiples of the most likely one read as 1 or as nothing only where they are", () => {
  const written = [1, 0.9999, 0.7071, 0.5, 0.0831, 0.00104, 0.0002, 1e-12].map(multiple);
  assert.deepEqual(written, ["1", "> 0.99", "0.71", "0.5", "0.083", "0.001", "< 0.001", "< 0.001"]);
});

test("what cannot be seen, or turns the text around it, is shown as its code", () => {
  assert.equal(withMarks("a\u202eb\u0000\n\tc"), "a<U+202E>b<U+0000>↵\n⇥\tc");
  assert.equal(visible("x", "\u2066 \u200d"), "<U+2066>␣\u200d");
});

test("numbers and durations", () => {
  assert.deepEqual([-0.6931, -0.00052, -0.0000281, -1e-7, 0].map(logText), ["−0.693", "−0.001", "−0.000028", "−1.0e-7", "0.000"]);
  assert.deepEqual([-3.2e-10, -4.5e-20].map(logText), ["−3.2e-10", "−4.5e-20"], "an exponent keeps its zeros");
  assert.deepEqual([2.309, 24.06, 812.4, 3, 0.0042, 0].map(short), ["2.31", "24.1", "812", "3", "0.004", "0"]);
  assert.deepEqual([3.14, 412.3, 999.7, 1834, 25000].map(duration), [
    { key: "ms", n: "3.1" }, { key: "ms", n: "412" }, { key: "s", n: "1" }, { key: "s", n: "1.83" }, { key: "s", n: "25" },
  ]);
});

test("doubt grows as p falls, and is not known where p is not", () => {
  assert.deepEqual([1, 0.95, 0.9, 0.7, 0.5, 0.3, 0.1, 0.01, 0].map(doubt), [0, 0, 1, 2, 3, 4, 5, 6, 6]);
  assert.equal(doubt(undefined), null);
});

test("what cannot be seen gets a mark", () => {
  assert.equal(withMarks("a\n\tb"), "a↵\n⇥\tb");
  assert.equal(visible("Ġthe"), "␣the");
  assert.equal(visible("▁the"), "␣the");
  assert.equal(visible("ĊĊ"), "↵↵");
  assert.equal(visible("Ã©", "é"), "é");
});

test("no module of the viewer reads markup from text", () => {
  const forbidden = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|setHTML|createContextualFragment|DOMParser|\beval\b/;
  const names = readdirSync(VIEWER).filter((name) => name.endsWith(".js"));
  assert.ok(names.includes("main.js"));
  for (const name of names) assert.doesNotMatch(readFileSync(new URL(name, VIEWER), "utf8"), forbidden, name);
});

test("colours come from the page's theme alone", () => {
  const css = readFileSync(new URL("viewer.css", VIEWER), "utf8");
  assert.doesNotMatch(css, /#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(/i);
});
