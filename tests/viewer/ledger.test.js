import assert from "node:assert/strict";
import test from "node:test";

import { blocksOf, blockState, changesOf, counts, partsOf, split } from "../../app/viewer/ledger.js";

/** A context whose new part is made of these runs: [author, state, text]. Every character counts as a token. */
function context(runs, more = {}) {
  const text = runs.map(([, , each]) => each).join("");
  const origins = runs.map(([by, state, each]) => [by, state, [...each].length, [...each].length]);
  return { text, origins, ids_from: 0, added_from: 0, departs: null, ...more };
}

function drawn(runs, stops = ["<end>"]) {
  const made = context(runs);
  return blocksOf(partsOf(made), made.text, stops)
    .map(({ by, parts }) => [by, parts.map(({ from, to }) => made.text.slice(from, to)).join("")]);
}

test("parts stand where their lengths say, an emoji being one character", () => {
  const made = context([["user", "new", "a😀"], ["template", "new", "<end>"]]);
  const parts = partsOf(made);
  assert.deepEqual(parts.map(({ from, to }) => made.text.slice(from, to)), ["a😀", "<end>"]);
  assert.deepEqual(parts.map(({ n }) => n), [2, 5]);
});

test("a log that does not say whose a prompt is has no parts and no numbers", () => {
  assert.deepEqual(partsOf({ text: "abc" }), []);
  assert.equal(counts({ text: "abc", ids_from: 3 }), null);
  assert.equal(counts({ text: "a", ids_from: 3, origins: [["user", "new", null, 1]] }), null);
});

test("tokens are counted as reused, new and read again", () => {
  const runs = [["model", "again", "ab"], ["model", "rewritten", "c"], ["tool", "new", "def"]];
  assert.deepEqual(counts(context(runs, { ids_from: 7 })), { reused: 7, again: 3, fresh: 3 });
  const following = [["user", "reused", "abcd"], ["user", "new", "e"]];
  assert.deepEqual(counts(context(following)), { reused: 4, fresh: 1, again: 0 });
  const { reused, rest, same } = split(context(following));
  assert.deepEqual([reused.length, rest.length, same], [1, 1, { any: true, n: 4 }]);
});

test("what stands in front of the new part is known even where it cannot be counted", () => {
  const counted = context([["user", "reused", "abcd"], ["user", "new", "e"]]);
  const uncounted = { ...counted, origins: [["user", "reused", null, 4], ["user", "new", null, 1]] };
  assert.deepEqual(split(uncounted).same, { any: true, n: null });
  assert.deepEqual(split(context([["user", "new", "e"]])).same, { any: false, n: 0 });
  assert.deepEqual(split(context([["user", "new", "e"]], { added_from: 9, ids_from: 3 })).same, { any: true, n: 3 });
});

test("the template's text goes with the message that it ends or begins", () => {
  const runs = [
    ["template", "new", "<start>system\n"], ["system", "new", "Help."], ["template", "new", "<end>\n<start>user\n"],
    ["user", "new", "Hi"], ["template", "new", "<end>\n<start>assistant\n"],
  ];
  assert.deepEqual(drawn(runs), [
    ["system", "<start>system\nHelp.<end>\n"], ["user", "<start>user\nHi<end>\n"], ["template", "<start>assistant\n"],
  ]);
});

test("results of two tools in one message are one block, and the line break that ends a turn opens none", () => {
  const runs = [
    ["template", "new", "\n<start>tool\n"], ["tool", "new", "1"], ["template", "new", "\n<next>\n"], ["tool", "new", "2"],
    ["template", "new", "<end>\n"],
  ];
  assert.deepEqual(drawn(runs), [["tool", "\n<start>tool\n1\n<next>\n2<end>\n"]]);
});

test("whatever the runs are, the blocks are the whole text in order", () => {
  const authors = ["template", "user", "tool", "model", "harness"];
  for (let seed = 1; seed < 200; seed += 1) {
    let state = seed;
    const next = (n) => (state = (state * 48271) % 2147483647) % n;
    const texts = ["x", "<end>", "<end>\ny", "\n", "a<end>b<end>"];
    const runs = Array.from({ length: next(9) }, () => [authors[next(5)], "new", texts[next(5)]]);
    assert.equal(drawn(runs).map(([, text]) => text).join(""), runs.map(([, , text]) => text).join(""));
  }
});

test("a block says how its own text came, not the template's around it", () => {
  const runs = [["template", "new", "<s>"], ["model", "again", "ab"], ["model", "rewritten", "c"]];
  const [block] = blocksOf(partsOf(context(runs)), "<s>abc", []);
  assert.deepEqual(blockState(block), { n: 3, state: "rewritten" });
});

test("dropped thinking has words of its own; without numbers nothing is counted", () => {
  const keys = (changes) => changesOf({ changes }).map(({ key }) => key);
  assert.deepEqual(keys([["thinking", 48, 0, 1]]), ["changed_thinking_dropped"]);
  assert.deepEqual(keys([["thinking", 48, 20, 1], ["arguments", 3, 4, 1]]), ["changed_thinking", "changed_arguments"]);
  assert.deepEqual(keys([["thinking", null, null, 1]]), ["changed_thinking_unknown"]);
  assert.deepEqual(changesOf(null), []);
});
