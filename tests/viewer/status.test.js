import assert from "node:assert/strict";
import test from "node:test";

import { newRun, take } from "../../app/viewer/state.js";
import { adviceText } from "../../app/viewer/status.js";
import { Words } from "../../app/viewer/words.js";
import { numbered, token } from "./fixtures.js";

const words = new Words(async () => ({ do_context_full: "too long for {n}", do_context_filled: "{n} became full" }));
await words.use("en");

/** A run of two steps that ended for want of context, after `written` of the second step. */
function full(...written) {
  const run = newRun("r");
  take(run, numbered([
    { kind: "run_start", context_length: 512 }, { kind: "step_start", step: 1 }, token(1, 0, "x"),
    { kind: "step_start", step: 2 }, ...written, { kind: "run_end", stop_reason: "context_full", final: null, error: null },
  ]));
  return run;
}

test("a prompt that is too long is told apart from a turn that filled what the prompt had left", () => {
  assert.equal(adviceText(words, full()), "too long for 512");
  assert.equal(adviceText(words, full(token(2, 0, "y"))), "512 became full");
});
