// The line on top of a run that goes on: what happens now, how long, how fast, the Stop button, the legend; and what there is
// to say when the connection or the run itself has ended in another way than with an answer.

import { button, make, show } from "./dom.js";
import { short } from "./numbers.js";
import { outcome, runningTool, speed } from "./state.js";
import { explained, tip } from "./tips.js";

function phaseText(w, run, connection) {
  if (!run.end && connection.kind === "cut") return w.t("phase_cut");
  if (!run.end && connection.kind === "gone") return w.t("phase_gone");
  if (run.phase === "tool") return w.t("phase_tool", { name: runningTool(run)?.name ?? "" });
  if (run.phase !== "finished") return w.t(`phase_${run.phase}`);
  const reason = outcome(run);
  if (reason === "answer") return w.t("phase_answered");
  const key = `why_${reason}`;
  return w.t("phase_stopped", { why: w.has(key) ? w.t(key) : w.t("why_unknown", { reason }) });
}

/** What happened and what to do, for a run that ended without an answer; null otherwise. */
export function adviceText(w, run) {
  const reason = outcome(run);
  if (reason === null || reason === "answer") return null;
  const settings = run.start?.settings ?? {};
  const error = run.end.error ? w.pick(run.end.error) : "";
  const values = { reason, error };
  if (reason === "max_steps") values.n = settings.max_steps ?? run.end.n_steps;
  if (reason === "max_new_tokens") values.n = settings.max_new_tokens ?? run.end.n_tokens;
  if (reason === "timed_out") values.s = settings.time_limit_s ?? run.end.seconds;
  if (reason === "context_full") values.n = run.start?.context_length ?? "?";
  // Where the turn has begun, the prompt did fit: what was written filled the rest.
  const filled = reason === "context_full" && run.steps.at(-1)?.tokens.length > 0;
  const key = filled ? "do_context_filled" : `do_${reason}`;
  return w.has(key) ? w.t(key, values) : w.t("do_unknown", values);
}

function connectionText(w, connection) {
  if (connection.kind === "lost") return w.t("lost", { n: connection.failures, s: short(connection.ms / 1000) });
  if (connection.kind === "gone") return w.t("gone");
  return connection.kind === "cut" ? w.t("broken_off") : "";
}

export function legend(words) {
  const scale = make("span", "lg-scale");
  for (let level = 6; level >= 0; level -= 1) scale.append(make("span", `lg-d${level}`));
  explained(words, words.label(scale, (w) => w.t("legend_scale_label"), "aria-label"), (w) => w.t("legend_scale"));
  const say = (className, key) => words.label(make("span", className), (w) => w.t(key));
  const item = (...children) => make("span", "lg-legend-item", ...children);
  const element = make(
    "div", "lg-legend",
    item(say("", "legend_unsure"), scale, say("", "legend_sure")),
    item(say("lg-upset", "legend_bold"), " ", say("", "legend_bold_means")),
    item(say("lg-thought", "legend_thought"), " ", say("", "legend_thought_means")),
    item(say("lg-call", "legend_call"), " ", say("", "legend_call_means")),
    item(say("lg-pill", "legend_control")),
    item(say("lg-keys", "legend_keys")),
  );
  words.label(element, (w) => w.t("legend"), "aria-label");
  element.setAttribute("role", "note");
  return element;
}

export class Status {
  /**
   * @param {import("./run.js").Context} ctx
   * @param {import("./state.js").Run} run
   * @param {() => Promise<void>} stop Throws an Error whose message is a key of the wording.
   */
  constructor(ctx, run, stop) {
    Object.assign(this, { ctx, run, connection: { kind: "ok" }, began: null, stopping: false, stopError: null, unsaved: null });
    const { words } = ctx;
    this.phase = words.label(make("strong", "lg-phase"), (w) => phaseText(w, run, this.connection));
    this.phase.setAttribute("role", "status");
    this.facts = words.label(make("span", "lg-facts"), (w) => this.factsText(w));
    this.stopButton = button("lg-stop");
    words.label(this.stopButton, (w) => w.t(this.stopping ? "stopping" : "stop"));
    tip(words, this.stopButton, (w) => w.t("stop_hint"));
    this.stopButton.addEventListener("click", () => this.stop(stop));
    this.bar = make("div", "lg-status", make("span", "lg-dot"), this.phase, this.facts, this.stopButton);
    this.alert = words.label(make("div", "lg-alert"), (w) => this.alertText(w));
    this.alert.setAttribute("role", "alert");
    this.element = make("div", "lg-top", this.bar, this.alert);
    this.draw();
  }

  get running() {
    return this.run.end === null && this.connection.kind !== "gone" && this.connection.kind !== "cut";
  }

  /** How many seconds the run goes on already, as the server tells now. */
  hearTime(seconds) {
    const began = performance.now() / 1000 - seconds;
    // Everything arrives late by a little, so the earliest beginning that anything implies is the best guess.
    this.began = this.began === null ? began : Math.min(this.began, began);
  }

  /** Seconds since the run began, by this machine's clock while it goes on and by the log's once it has ended. */
  elapsed() {
    const { run } = this;
    if (run.end) return run.end.seconds ?? run.t;
    this.hearTime(run.t);
    return this.running ? performance.now() / 1000 - this.began : run.t;
  }

  factsText(w) {
    if (!this.run.start) return "";
    const parts = [w.t("elapsed", { s: this.elapsed().toFixed(1) }), w.t("written", { n: this.run.nTokens })];
    const perSecond = speed(this.run);
    if (perSecond !== null) parts.push(w.t("speed", { n: short(perSecond) }));
    return parts.join(" · ");
  }

  alertText(w) {
    // A stop that failed is no news once the run has ended in another way; what is to say of that counts then.
    if (this.stopError && this.running) return w.t("stop_failed", { why: w.t(this.stopError) });
    const said = connectionText(w, this.connection);
    return said || (this.unsaved ? w.t("unsaved", { error: this.unsaved }) : "");
  }

  async stop(stop) {
    this.stopping = true;
    this.stopError = null;
    this.draw();
    try {
      await stop();
    } catch (error) {
      this.stopping = false;
      this.stopError = error.message;
      this.draw();
    }
  }

  /** @param {import("./poll.js").Connection} connection */
  setConnection(connection) {
    this.connection = connection;
    this.draw();
  }

  draw() {
    for (const node of [this.phase, this.facts, this.stopButton, this.alert]) this.ctx.words.refresh(node);
    this.bar.dataset.phase = this.running ? this.run.phase : "finished";
    this.bar.dataset.outcome = outcome(this.run) ?? "";
    show(this.stopButton, this.running);
    this.stopButton.disabled = this.stopping;
    show(this.alert, this.alert.textContent !== "");
  }
}
