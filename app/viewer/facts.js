// What a step card says of its step in numbers: tokens, times, and how the turn ended. Pure.

import { anySame, counts } from "./ledger.js";
import { duration, known, short } from "./numbers.js";

/**
 * @typedef {import("./words.js").Words} Words
 * @typedef {import("./state.js").Run} Run
 * @typedef {import("./state.js").Step} Step
 */

/** A duration in words. @param {Words} w @param {number} ms */
export function formatted(w, ms) {
  const { key, n } = duration(ms);
  return w.t(key, { n });
}

/**
 * With what a run was made; what is not recorded, or cuts nothing off, is left out.
 * @param {Words} w
 * @param {object} start Its run_start.
 */
export function settingsText(w, start) {
  const { temperature, top_k: topK, top_p: topP, seed, thinking, drafter } = start.settings ?? {};
  const drawn = [
    known(temperature) && w.t("settings_temperature", { n: temperature }),
    topK > 0 && w.t("settings_top_k", { n: topK }),
    topP < 1 && w.t("settings_top_p", { n: topP }),
    known(seed) && w.t("settings_seed", { n: seed }),
  ];
  const parts = [
    start.model, ...(temperature === 0 ? [w.t("settings_greedy")] : drawn),
    known(thinking) && w.t(thinking ? "settings_thinking" : "settings_no_thinking"),
    known(drafter) && w.t("settings_drafter", { name: w.has(`drafter_${drafter}`) ? w.t(`drafter_${drafter}`) : drafter }),
  ];
  return parts.filter(Boolean).join(" · ");
}

/** How long the prompt is and what of it is new, what was written, and how fast. @param {Words} w @param {Step} step */
export function headText(w, step) {
  const parts = [];
  if (step.context) {
    const n = step.context.n_tokens;
    const sum = counts(step.context);
    parts.push(sum ? w.t("step_prompt", { n, new: sum.fresh }) : w.t("step_prompt_plain", { n }));
    if (sum?.again > 0) parts.push(w.t("ledger_again", { n: sum.again }));
  }
  if (step.tokens.length > 0 || step.modelEnd) parts.push(w.t("step_written", { n: step.tokens.length }));
  if (step.modelEnd?.tok_per_s) parts.push(w.t("speed", { n: short(step.modelEnd.tok_per_s) }));
  return parts.join(" · ");
}

/** Why the turn ended; its model_end must be known. @param {Words} w @param {Run} run @param {Step} step */
export function endedText(w, run, step) {
  const { finish, stop_piece: token } = step.modelEnd;
  if (finish === "stop_token") {
    const purpose = w.pickFrom(run.start?.stop_tokens, token);
    return purpose === null ? w.t("ended_stop_unknown", { token }) : w.t("ended_stop_token", { token, purpose });
  }
  const key = `ended_${finish}`;
  if (!w.has(key)) return w.t("ended_other", { reason: finish });
  return w.t(key, { n: run.start?.settings?.max_new_tokens ?? step.tokens.length });
}

/** How long reading and writing took. @param {Words} w @param {Step} step */
export function timesText(w, step) {
  const parts = [];
  if (step.prefill) {
    parts.push(w.t("times_prefill", { ms: formatted(w, step.prefill.ms) }));
    const { n_reused: n } = step.prefill;
    // What this conversation has not read before was left in the cache by another one.
    const own = !step.context || anySame(step.context);
    if (n > 0) parts.push(w.t(own ? "times_reused" : "times_reused_earlier", { n }));
  }
  if (step.modelEnd) {
    parts.push(w.t("times_decode", { ms: formatted(w, step.modelEnd.decode_ms) }));
    if (step.modelEnd.tok_per_s) parts.push(w.t("speed", { n: short(step.modelEnd.tok_per_s) }));
  }
  return parts.join(" · ");
}
