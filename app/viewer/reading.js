// How the harness read a turn, what the tools returned, and what the harness told the model: the lower half of a step card.

import { button, make } from "./dom.js";
import { duration } from "./numbers.js";

/** A call as people write one: name({"a": 1}). */
export function callText(name, args) {
  return `${name}(${args === undefined || args === null ? "" : JSON.stringify(args)})`;
}

function row(ctx, kind, key, ...content) {
  const tag = ctx.words.label(make("span", `lg-tag lg-tag-${kind}`), (w) => w.t(key));
  return make("div", "lg-row", tag, make("div", "lg-row-body", ...content));
}

function note(ctx, className, fill) {
  return ctx.words.label(make("div", className), fill);
}

/** A call is a button: it shows which tokens wrote it. */
function callRow(ctx, call, mark) {
  const name = call.name || null;
  const text = make("code", "lg-call-text");
  if (call.error || call.arguments === null) {
    if (name) text.append(name);
    else ctx.words.label(text, (w) => w.t("no_name"));
    if (call.raw_args) text.append(` ${call.raw_args}`);
  } else {
    text.append(callText(name ?? "", call.arguments));
  }
  const opener = button("lg-call-button", text);
  ctx.words.label(opener, (w) => w.t("show_span"), "title");
  opener.addEventListener("click", () => mark(call.span));
  const why = (w) => w.t("call_error", { why: w.pick(call.error) }) + position(w, call.error);
  const error = call.error && note(ctx, "lg-error", why);
  const repaired = call.repaired && note(ctx, "lg-repaired", (w) => w.t("call_repaired", { what: w.pick(call.repaired) }));
  return row(ctx, call.error ? "error" : "call", "pill_call", opener, error || null, repaired || null);
}

function position(w, error) {
  return typeof error.at === "number" ? w.t("call_error_at", { at: error.at + 1 }) : "";
}

/**
 * @param {import("./run.js").Context} ctx
 * @param {object} parsed The parsed event.
 * @param {(span: [number, number]) => void} mark Marks tokens of the strip above.
 */
export function readingSection(ctx, parsed, mark) {
  const rows = [];
  const calls = parsed.tool_calls ?? [];
  if (parsed.thinking) rows.push(row(ctx, "thinking", "pill_thinking", make("div", "lg-text", parsed.thinking)));
  if (parsed.content) {
    const key = calls.length > 0 ? "pill_text" : "pill_answer";
    rows.push(row(ctx, "answer", key, make("div", "lg-text", parsed.content)));
  }
  for (const call of calls) rows.push(callRow(ctx, call, mark));
  if (rows.length === 0) rows.push(note(ctx, "lg-note", (w) => w.t("nothing_read")));
  return make("section", "lg-section lg-reading", ctx.words.label(make("h4", "lg-title"), (w) => w.t("reading_title")), ...rows);
}

/** The title of a tool's section while it runs and after. */
function toolTitle(w, tool) {
  if (tool.result === null) return w.t("tool_running", { name: tool.name });
  const failed = tool.result.error !== null && tool.result.error !== undefined;
  const time = typeof tool.result.ms === "number" ? ` · ${formatted(w, tool.result.ms)}` : "";
  return w.t(failed ? "tool_title_error" : "tool_title", { name: tool.name }) + time;
}

/** A duration in words. @param {import("./words.js").Words} w @param {number} ms */
export function formatted(w, ms) {
  const { key, n } = duration(ms);
  return w.t(key, { n });
}

export class ToolSection {
  /** @param {import("./run.js").Context} ctx @param {import("./state.js").Tool} tool */
  constructor(ctx, tool) {
    Object.assign(this, { ctx, tool, drawn: false });
    this.title = ctx.words.label(make("h4", "lg-title"), (w) => toolTitle(w, tool));
    this.element = make("section", "lg-section lg-tool", this.title);
    if (tool.start) this.element.append(make("code", "lg-called", callText(tool.name, tool.start.arguments)));
    this.update();
  }

  update() {
    const { result } = this.tool;
    if (result === null || this.drawn) return;
    this.drawn = true;
    this.ctx.words.refresh(this.title);
    const failed = result.error !== null && result.error !== undefined;
    this.element.append(make("pre", failed ? "lg-result lg-error" : "lg-result", failed ? result.error : result.result ?? ""));
    if (result.truncated) this.element.append(note(this.ctx, "lg-note", (w) => w.t("truncated")));
  }
}

/** @param {import("./run.js").Context} ctx @param {object} event A feedback event. */
export function feedbackSection(ctx, event) {
  const key = `feedback_${event.why}`;
  const title = make("h4", "lg-title");
  ctx.words.label(title, (w) => w.t("feedback_title") + (w.has(key) ? ` · ${w.t(key)}` : ""));
  return make("section", "lg-section lg-feedback", title, make("pre", "lg-result", event.text));
}
