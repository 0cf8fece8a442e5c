import assert from "node:assert/strict";
import test from "node:test";

import { argumentsSoFar, leastSure, spansOfArgument } from "../../app/viewer/spans.js";
import { newRun, take } from "../../app/viewer/state.js";
import { numbered, token } from "./fixtures.js";

const CALL = { name: "f", span: [0, 6], args_span: [2, 5], value_spans: { a: [3, 4] } };

test("an argument leads to its own tokens, else to those of all arguments, else to the call", () => {
  assert.deepEqual(spansOfArgument(CALL, "a"), [[3, 4]]);
  assert.deepEqual(spansOfArgument(CALL, "b"), [[2, 5]]);
  assert.deepEqual(spansOfArgument({ span: [0, 6], args_span: null, value_spans: {} }, "b"), [[0, 6]]);
  assert.deepEqual(spansOfArgument(CALL, "constructor"), [[2, 5]]);
});

test("the least certain token of the arguments, not of the call around them", () => {
  const tokens = [0.1, 0.9, 0.8, 0.61, 0.61, 0.2].map((p, i) => token(1, i, "x", { p }));
  assert.deepEqual(leastSure(tokens, CALL), { index: 3, p: 0.61 });
});

test("why there is no least certain token", () => {
  const tokens = [0, 1, 2, 3, 4, 5].map((i) => token(1, i, "x"));
  assert.deepEqual(leastSure(tokens, CALL), { why: "no_p" });
  assert.deepEqual(leastSure(tokens, { ...CALL, args_span: null }), { why: "no_arguments" });
  tokens[4].p = 0.5;
  assert.deepEqual(leastSure(tokens, CALL), { index: 4, p: 0.5 });
});

test("the arguments of a call as far as they are written, taken up where they were left", () => {
  const texts = ["<c>", "f", "(", "1", ", 2"];
  const tokens = texts.map((text, i) => token(1, i, text, { channel: i === 0 ? "control" : "tool_call" }));
  const forming = { call: 0, name: "f", span_from: 0, args_from: 3 };
  assert.deepEqual(argumentsSoFar(tokens, forming), { text: "1, 2", to: 5 });
  tokens.push(token(1, 5, ", 3", { channel: "tool_call" }), token(1, 6, "</c>", { channel: "control" }), token(1, 7, "!"));
  assert.deepEqual(argumentsSoFar(tokens, forming, 5), { text: ", 3", to: 6 });
  assert.deepEqual(argumentsSoFar(tokens, { ...forming, args_from: null }), { text: "", to: 0 });
});

test("the state keeps the call that forms", () => {
  const run = newRun("r");
  const forming = { kind: "call_forming", step: 1, call: 0, name: "calc", span_from: 0, args_from: null };
  const more = { ...forming, name: "calculator", args_from: 2 };
  take(run, numbered([{ kind: "step_start", step: 1 }, token(1, 0, "<c>"), forming, more]));
  assert.deepEqual([run.steps[0].forming.name, run.steps[0].forming.args_from], ["calculator", 2]);
});
