import assert from "node:assert/strict";
import test from "node:test";

import { endedText, headText, settingsText, timesText } from "../../app/viewer/facts.js";
import { newRun, take } from "../../app/viewer/state.js";
import { Words } from "../../app/viewer/words.js";
import { numbered, smallRun, token } from "./fixtures.js";

const KEYS = {
  step_prompt: "prompt {n} new {new}", step_prompt_plain: "prompt {n}", ledger_again: "again {n}", step_written: "written {n}",
  speed: "speed {n}", times_prefill: "read {ms}", times_reused: "cached {n}", times_reused_earlier: "left {n}",
  times_decode: "wrote {ms}", ms: "{n} ms", s: "{n} s",
  ended_stop_token: "at {token}: {purpose}", ended_stop_unknown: "at {token}", ended_max_new_tokens: "limit {n}",
  ended_other: "because {reason}",
  settings_greedy: "greedy", settings_temperature: "t {n}", settings_top_k: "k {n}", settings_top_p: "p {n}",
  settings_seed: "seed {n}", settings_thinking: "thinks", settings_no_thinking: "at once", settings_drafter: "drafts {name}",
  drafter_prompt_lookup: "lookup",
};
const words = new Words(async () => KEYS);
await words.use("en");

function fed(events) {
  const run = newRun("r");
  take(run, numbered(events));
  return run;
}

/** One step: its prompt, `n` tokens in `ms` milliseconds. */
function step(context, n, ms) {
  const tokens = Array.from({ length: n }, (_, i) => token(1, i, "x"));
  return fed([
    { kind: "run_start", settings: { max_new_tokens: 64 }, stop_tokens: { "<end>": { zh: "完", en: "over" } } },
    { kind: "step_start", step: 1 }, { kind: "context", step: 1, text: "", added_from: 0, ...context },
    { kind: "prefill", step: 1, n_tokens: context.n_tokens, n_reused: 12, ms: 34.56 }, ...tokens,
    {
      kind: "model_end", step: 1, raw: "", finish: "stop_token", stop_piece: "<end>", n_tokens: n, decode_ms: ms,
      tok_per_s: ms > 0 ? (n - 1) / (ms / 1000) : null,
    },
  ]);
}

test("the head counts what the events hold", () => {
  const [first, second] = fed(smallRun()).steps;
  assert.equal(headText(words, first), "prompt 2 new 2 · written 4 · speed 50");
  assert.equal(headText(words, second), "prompt 9 new 3 · written 2");
  const origins = [["model", "again", 5, 0], ["model", "rewritten", 4, 0], ["tool", "new", 11, 0]];
  const again = step({ n_tokens: 40, ids_from: 20, origins }, 6, 2000);
  assert.equal(headText(words, again.steps[0]), "prompt 40 new 11 · again 9 · written 6 · speed 2.5");
});

test("what cannot be counted is not said to be new", () => {
  const without = step({ n_tokens: 40, ids_from: 20, origins: [["model", "again", null, 5], ["tool", "new", null, 5]] }, 1, 0);
  assert.equal(headText(words, without.steps[0]), "prompt 40 · written 1");
  assert.equal(headText(words, step({ n_tokens: 40, ids_from: 20 }, 1, 0).steps[0]), "prompt 40 · written 1");
});

test("times, tokens from the cache and speed; no speed where no time passed", () => {
  const context = { n_tokens: 40, ids_from: 20, origins: [["tool", "new", 20, 0]] };
  assert.equal(timesText(words, step(context, 50, 12345).steps[0]), "read 35 ms · cached 12 · wrote 12.3 s · speed 3.97");
  assert.equal(timesText(words, step(context, 1, 0).steps[0]), "read 35 ms · cached 12 · wrote 0 ms");
});

test("what a conversation that begins finds in the cache is another one's", () => {
  const context = { n_tokens: 40, ids_from: 0, origins: [["system", "new", 40, 0]] };
  assert.equal(timesText(words, step(context, 1, 0).steps[0]), "read 35 ms · left 12 · wrote 0 ms");
});

test("a run says with what it was made, and nothing that is not recorded or cuts nothing off", () => {
  const said = (settings) => settingsText(words, { model: "m", settings });
  const drawn = { temperature: 0.7, top_p: 0.9, top_k: 20, seed: 7, thinking: true, drafter: "prompt_lookup" };
  assert.equal(said(drawn), "m · t 0.7 · k 20 · p 0.9 · seed 7 · thinks · drafts lookup");
  const uncut = { ...drawn, top_p: 1, top_k: 0, thinking: false, drafter: "another" };
  assert.equal(said(uncut), "m · t 0.7 · seed 7 · at once · drafts another");
  assert.equal(said({ ...drawn, temperature: 0, seed: null, drafter: null }), "m · greedy · thinks");
  assert.equal(said({ ...drawn, temperature: 0, thinking: null, drafter: null }), "m · greedy", "the model has no switch");
  assert.equal(said(undefined), "m");
});

test("why a turn ended", () => {
  const run = step({ n_tokens: 1, ids_from: 0 }, 3, 1);
  const ended = (more) => {
    Object.assign(run.steps[0].modelEnd, more);
    return endedText(words, run, run.steps[0]);
  };
  assert.equal(ended({}), "at <end>: over");
  assert.equal(ended({ stop_piece: "constructor" }), "at constructor");
  assert.equal(ended({ finish: "max_new_tokens" }), "limit 64");
  assert.equal(ended({ finish: "a finish of tomorrow" }), "because a finish of tomorrow");
});
