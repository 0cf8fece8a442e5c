import assert from "node:assert/strict";
import test from "node:test";

import { make } from "../../app/viewer/dom.js";
import { explained, Tips } from "../../app/viewer/tips.js";
import { Words } from "../../app/viewer/words.js";
import { newPage } from "./dom.js";

const TABLES = { en: { why: "because" }, zh: { why: "因為" } };

async function explainedPage() {
  const page = newPage();
  const root = make("div");
  page.append(root);
  const words = new Words(async (lang) => TABLES[lang]);
  await words.use("en");
  const [one, plain] = [make("span"), make("button")];
  root.append(one, plain);
  explained(words, one, (w) => w.t("why"));
  return { page, root, words, one, plain, tips: new Tips(root) };
}

test("what explains itself is a tab stop and says it where it is reached, in the language of the moment", async () => {
  const { words, one, plain, tips } = await explainedPage();
  assert.equal(one.tabIndex, 0);
  assert.equal(tips.element.hidden, true);
  one.focus();
  assert.deepEqual([tips.element.hidden, tips.element.textContent], [false, "because"]);
  await words.use("zh");
  tips.redraw();
  assert.deepEqual([tips.element.textContent, one.getAttribute("aria-description")], ["因為", "因為"]);
  plain.focus();
  assert.equal(tips.element.hidden, true);
});

test("a pointer and a tap show it; Escape, leaving, and the end of its element hide it", async () => {
  const { root, one, tips } = await explainedPage();
  for (const [comes, goes] of [
    [() => one.dispatch("pointerover"), () => root.dispatch("pointerleave")],
    [() => one.click(), () => one.press("Escape")],
    [() => one.focus(), () => one.dispatch("focusout")],
    [() => one.focus(), () => { one.remove(); tips.redraw(); }],
  ]) {
    comes();
    assert.equal(tips.element.hidden, false);
    goes();
    assert.equal(tips.element.hidden, true);
  }
});

test("a token whose details are open has no explanation over them", async () => {
  const { one, tips } = await explainedPage();
  one.focus();
  one.classList.add("lg-open");
  one.dispatch("keyup");
  assert.equal(tips.element.hidden, true);
});
