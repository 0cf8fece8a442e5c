import assert from "node:assert/strict";
import test from "node:test";

import { authors } from "../../app/viewer/authors.js";
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

function byWhom(text, names, known) {
  return authors(text, controlsByName(text, names), known).map(({ by, from, to }) => [by, text.slice(from, to)]);
}

const CHATML = ["<|im_start|>", "<|im_end|>", "<tool_response>", "</tool_response>", "<think>", "</think>"];

test("a first prompt: system, user, and the template that opens the model's turn", () => {
  const system = "<|im_start|>system\nHelp.<|im_end|>\n";
  const user = "<|im_start|>user\nHi, system<|im_end|>\n";
  const opening = "<|im_start|>assistant\n<think>\n\n</think>\n\n";
  assert.deepEqual(byWhom(system + user + opening, CHATML), [["system", system], ["user", user], ["harness", opening]]);
});

test("a later prompt: the line break that closes the model's turn goes with what follows", () => {
  const tool = "\n<|im_start|>user\n<tool_response>\n4\n</tool_response><|im_end|>\n";
  const opening = "<|im_start|>assistant\n";
  assert.deepEqual(byWhom(tool + opening, CHATML, { goesOn: true }), [["tool", tool], ["harness", opening]]);
});

test("a prompt that departs inside the model's turn begins with what the model wrote", () => {
  const rest = " rewritten<|im_end|>\n";
  const opening = "<|im_start|>assistant\n";
  assert.deepEqual(byWhom(rest + opening, CHATML, { goesOn: true }), [["model", rest], ["harness", opening]]);
});

test("an earlier turn of the model in a continued conversation is the model's", () => {
  const parts = byWhom("<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\nb<|im_end|>\n<|im_start|>assistant\n", CHATML);
  assert.deepEqual(parts.map(([by]) => by), ["user", "model", "harness"]);
});

test("what the harness tells the model as a user's message is the harness's", () => {
  const text = "<|im_start|>user\nYour call could not be read.<|im_end|>\n<|im_start|>assistant\n";
  const parts = byWhom(text, CHATML, { feedback: ["Your call could not be read."] });
  assert.deepEqual(parts.map(([by]) => by), ["harness", "harness"]);
});

test("other chat formats: the role inside the control token, or after one with its own closing mark", () => {
  const llama = ["system", "ipython"].map((role) => `<|start_header_id|>${role}<|end_header_id|>\n\nx<|eot_id|>`).join("");
  const llamaNames = ["<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"];
  assert.deepEqual(byWhom(llama, llamaNames).map(([by]) => by), ["system", "tool"]);
  const glmNames = ["<|system|>", "<|user|>", "<|observation|>", "<|assistant|>"];
  const glm = byWhom(glmNames.map((name) => `${name}\nx`).join(""), glmNames);
  assert.deepEqual(glm.map(([by]) => by), ["system", "user", "tool", "harness"]);
  const gemma = byWhom("<start_of_turn>user\nU<end_of_turn>\n<start_of_turn>model\n", ["<start_of_turn>", "<end_of_turn>"]);
  assert.deepEqual(gemma.map(([by]) => by), ["user", "harness"]);
});

test("a word of a role inside a text starts no part", () => {
  const text = "<|im_start|>user\nIs the user a tool?<|im_end|>\n";
  assert.deepEqual(byWhom(text, CHATML), [["user", text]]);
});

test("parts are the whole text, whatever it is", () => {
  const texts = ["", "no marks at all", "<|im_end|>", "<|im_start|>", "x<|im_start|>user", "😀<|im_start|>tool\n<|im_start|>"];
  for (const text of texts) {
    const parts = authors(text, controlsByName(text, CHATML), { goesOn: true, toolResults: [""], feedback: [" "] });
    assert.equal(parts.map(({ from, to }) => text.slice(from, to)).join(""), text);
  }
});
