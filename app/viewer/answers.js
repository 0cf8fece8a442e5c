// What tools returned and what the harness told the model: the foot of a step card.

import { make } from "./dom.js";
import { formatted } from "./facts.js";
import { callText } from "./reading.js";
import { isOver } from "./state.js";

/** The title of a tool's section: while it runs, after, and where the run was over before it answered. */
export function toolTitle(w, run, tool) {
  if (tool.result === null) return isOver(run) ? w.t("pill_call") : w.t("tool_running", { name: tool.name });
  const failed = tool.result.error !== null && tool.result.error !== undefined;
  const key = failed ? (tool.start === null ? "tool_title_refused" : "tool_title_error") : "tool_title";
  const time = typeof tool.result.ms === "number" ? ` · ${formatted(w, tool.result.ms)}` : "";
  return w.t(key, { name: tool.name }) + time;
}

export class ToolSection {
  /**
   * @param {import("./run.js").Context} ctx
   * @param {import("./state.js").Run} run
   * @param {import("./state.js").Tool} tool
   */
  constructor(ctx, run, tool) {
    Object.assign(this, { ctx, tool, drawn: false });
    this.title = ctx.words.label(make("h4", "lg-title"), (w) => toolTitle(w, run, tool));
    this.element = make("section", "lg-section lg-tool", this.title);
    if (tool.start) this.element.append(make("code", "lg-called", callText(tool.name, tool.start.arguments)));
    this.update();
  }

  update() {
    const { result } = this.tool;
    this.ctx.words.refresh(this.title);
    if (result === null || this.drawn) return;
    this.drawn = true;
    const failed = result.error !== null && result.error !== undefined;
    this.element.append(make("pre", failed ? "lg-result lg-error" : "lg-result", failed ? result.error : result.result ?? ""));
    if (result.truncated) this.element.append(this.ctx.words.label(make("div", "lg-note"), (w) => w.t("truncated")));
  }
}

/** @param {import("./run.js").Context} ctx @param {object} event A feedback event. */
export function feedbackSection(ctx, event) {
  const empty = event.why === "format_error" && event.call === null;
  const key = empty ? "feedback_empty_turn" : `feedback_${event.why}`;
  const title = make("h4", "lg-title");
  ctx.words.label(title, (w) => w.t("feedback_title") + (w.has(key) ? ` · ${w.t(key)}` : ""));
  return make("section", "lg-section lg-feedback", title, make("pre", "lg-result", event.text));
}
