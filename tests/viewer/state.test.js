import assert from "node:assert/strict";
import test from "node:test";

import { newRun, outcome, reduce, runningTool, speed, take } from "../../app/viewer/state.js";
import { numbered, smallRun, token } from "./fixtures.js";

function fed(events) {
  const run = newRun("r");
  take(run, events);
  return run;
}

test("a whole run becomes its steps", () => {
  const run = fed(smallRun());
  assert.equal(run.steps.length, 2);
  assert.deepEqual(run.steps.map((step) => step.tokens.length), [4, 2]);
  assert.equal(run.nTokens, 6);
  assert.equal(run.steps[0].tools[0].result.result, "2");
  assert.equal(outcome(run), "answer");
  assert.equal(run.nextSeq, smallRun().length);
});

test("the phase after each event", () => {
  const run = newRun("r");
  const phases = smallRun().map((event) => {
    reduce(run, event);
    return run.phase;
  });
  assert.deepEqual(phases, [
    "waiting", "preparing", "reading", "writing", "writing", "writing", "writing", "writing", "parsing", "parsing", "tool",
    "preparing", "preparing", "reading", "writing", "writing", "writing", "parsing", "parsing", "finished",
  ]);
});

test("events that are known already are dropped", () => {
  const events = smallRun();
  const run = fed(events.slice(0, 8));
  assert.deepEqual(take(run, events.slice(2, 10)), { fresh: 2, gap: false });
  assert.equal(run.steps[0].tokens.length, 4);
  assert.equal(run.nextSeq, 10);
});

test("a gap stops the page where it is and loses nothing", () => {
  const events = smallRun();
  const run = fed(events.slice(0, 5));
  assert.deepEqual(take(run, events.slice(6)), { fresh: 0, gap: true });
  assert.equal(run.nextSeq, 5);
  assert.deepEqual(take(run, events.slice(run.nextSeq)), { fresh: events.length - 5, gap: false });
  assert.equal(run.nTokens, 6);
});

test("any split of the log gives the same state", () => {
  const events = smallRun();
  for (let cut = 0; cut <= events.length; cut += 1) {
    const run = newRun("r");
    take(run, events.slice(0, cut));
    take(run, events.slice(Math.max(0, cut - 3)));
    assert.deepEqual(run, fed(events));
  }
});

test("kinds that are not known change nothing but the place in the log", () => {
  const later = { kind: "a_kind_of_tomorrow", step: 7 };
  const run = fed(numbered([{ kind: "run_start" }, later, { kind: "toString" }, { kind: "step_start", step: 1 }]));
  assert.deepEqual(run.steps.map((step) => step.n), [1]);
  assert.equal(run.nextSeq, 4);
});

test("an event out of order is refused", () => {
  assert.throws(() => reduce(newRun("r"), { seq: 3, kind: "run_start" }), /event 3 came where 0 was next/);
});

test("two calls at once: each result finds its own call, and one of them runs until both are back", () => {
  const start = (call) => ({ kind: "tool_start", step: 1, call, name: `t${call}`, arguments: {} });
  const result = (call) => ({ kind: "tool_result", step: 1, call, name: `t${call}`, result: `r${call}`, error: null, ms: 1 });
  const run = fed(numbered([{ kind: "step_start", step: 1 }, start(0), start(1), result(0)]));
  assert.equal(run.phase, "tool");
  assert.equal(runningTool(run).name, "t1");
  take(run, numbered([...Array(4).fill({ kind: "" }), result(1)]));
  assert.equal(run.phase, "preparing");
  assert.equal(runningTool(run), null);
  assert.deepEqual(run.steps[0].tools.map((tool) => tool.result.result), ["r0", "r1"]);
});

test("a result whose call was refused before it ran is kept", () => {
  const run = fed(numbered([
    { kind: "step_start", step: 1 }, { kind: "tool_result", step: 1, call: 0, name: "t", result: null, error: "no", ms: null },
  ]));
  assert.equal(run.steps[0].tools[0].start, null);
  assert.equal(run.steps[0].tools[0].result.error, "no");
});

test("speed is measured while a turn is written, and told by the log afterwards", () => {
  const events = [{ kind: "step_start", step: 1 }, { kind: "prefill", step: 1, t: 1 }];
  for (let i = 0; i < 30; i += 1) events.push(token(1, i, "x", { t: 1 + (i + 1) / 10 }));
  const run = fed(numbered(events));
  assert.ok(Math.abs(speed(run) - 10) < 1e-9);
  reduce(run, { seq: run.nextSeq, kind: "model_end", step: 1, tok_per_s: 12.5 });
  assert.equal(speed(run), 12.5);
  const more = [{ kind: "step_start", step: 2 }, ...Array.from({ length: 10 }, (_, i) => token(2, i, "x", { t: 9 }))];
  for (const event of [...more, { kind: "model_end", step: 2, tok_per_s: 2.5 }]) reduce(run, { ...event, seq: run.nextSeq });
  assert.equal(speed(run), 38 / (29 / 12.5 + 9 / 2.5), "all that was written, over all the time that it took");
});

test("there is no speed before there is something to measure", () => {
  assert.equal(speed(newRun("r")), null);
  assert.equal(speed(fed(numbered([{ kind: "prefill", step: 1, t: 1 }, token(1, 0, "x", { t: 1 })]))), null);
});
