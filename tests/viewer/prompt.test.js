import assert from "node:assert/strict";
import test from "node:test";

import { countCharacters, firstCharacters, indexer } from "../../app/viewer/codepoints.js";
import { controlsByName, controlsOf, earlierText, piecesOf } from "../../app/viewer/pieces.js";
import { newRun, take } from "../../app/viewer/state.js";
import { smallRun } from "./fixtures.js";

test("offsets of the log count an emoji as one character", () => {
  const text = "a😀b";
  assert.equal(countCharacters(text), 3);
  assert.deepEqual([0, 1, 2, 3, 9, -1].map(indexer(text)), [0, 1, 3, 4, 4, 0]);
  assert.equal(firstCharacters(text, 2), "a😀");
  assert.equal(firstCharacters("plain", 2), "pl");
});

test("pieces stand where the tokenizer said, emoji or not", () => {
  const context = { text: "<s>a😀b", ids: [1, 2, 3, 4], ends: [3, 5, 5, 6], special: [0] };
  const shown = piecesOf(context).map(({ from, to }) => context.text.slice(from, to));
  assert.deepEqual(shown, ["<s>", "a😀", "", "b"]);
  assert.deepEqual(piecesOf(context).map((piece) => piece.special), [true, false, false, false]);
});

test("without offsets there are no pieces, and control tokens are found by name, the longest first", () => {
  const context = { text: "<s><s>x</s>", ids: [1, 1, 2, 3] };
  assert.equal(piecesOf(context), null);
  const found = controlsOf(context, null, ["<s>", "</s>", "<s><s>"]);
  assert.deepEqual(found.map(({ from, to }) => context.text.slice(from, to)), ["<s><s>", "</s>"]);
  assert.deepEqual(controlsByName("a|b", ["|"]), [{ from: 1, to: 2 }]);
  assert.deepEqual(controlsByName("text", []), []);
});

test("the prompt of a step is put together from the steps before it", () => {
  const run = newRun("r");
  take(run, smallRun());
  const [first] = run.steps;
  assert.equal(earlierText(run.steps, 0), "");
  assert.equal(earlierText(run.steps, 1), first.context.text + first.modelEnd.raw);
});

test("a prompt that departs inside what the model wrote repeats only its beginning", () => {
  const run = newRun("r");
  const events = smallRun();
  const context = events.find((event) => event.kind === "context" && event.step === 2);
  context.added_from -= 10;
  take(run, events);
  const whole = run.steps[0].context.text + run.steps[0].modelEnd.raw;
  assert.equal(earlierText(run.steps, 1), whole.slice(0, -10));
});

test("what begins in another run's log is said to be missing, not guessed", () => {
  const run = newRun("r");
  const events = smallRun();
  events.find((event) => event.kind === "context").added_from = 5;
  take(run, events);
  assert.equal(earlierText(run.steps, 1), null);
});
