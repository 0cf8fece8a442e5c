// How the harness read a turn: thinking, text and calls, each a way to the tokens that wrote it.

import { button, make } from "./dom.js";
import { jsonText, known, percent, visible, withCodes } from "./numbers.js";
import { argumentsSoFar, leastSure, spansOfArgument } from "./spans.js";
import { tip } from "./tips.js";

/** A value of an argument as JSON; like the tokens above it, it must not turn the text around it. */
function valueText(value) {
  return withCodes(jsonText(value));
}

/** A call as people write one: name({"a": 1}). */
export function callText(name, args) {
  return `${name}(${known(args) ? valueText(args) : ""})`;
}

function row(ctx, kind, key, ...content) {
  const tag = ctx.words.label(make("span", `lg-tag lg-tag-${kind}`), (w) => w.t(key));
  return make("div", "lg-row", tag, make("div", "lg-row-body", ...content));
}

function note(ctx, className, fill) {
  return ctx.words.label(make("div", className), fill);
}

/**
 * @typedef {object} Strip The tokens above.
 * @property {(spans: import("./spans.js").Spans) => void} mark Marks tokens and goes to the first of them.
 * @property {(index: number) => void} show Goes to one token and opens what there is to say of it.
 */

/** Makes an element a way to tokens, by pointer and keyboard. Selecting text in it is no click. */
function leads(ctx, element, key, go) {
  element.classList.add("lg-leads");
  element.tabIndex = 0;
  element.setAttribute("role", "button");
  tip(ctx.words, element, (w) => w.t(key));
  element.addEventListener("click", () => {
    const scope = element.getRootNode();
    if ((scope.getSelection?.() ?? document.getSelection())?.type !== "Range") go();
  });
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    go();
  });
  return element;
}

function textRow(ctx, kind, key, text, hint, spans, strip) {
  const body = make("div", "lg-text", text);
  if (spans?.length > 0) leads(ctx, body, hint, () => strip.mark(spans));
  return row(ctx, kind, key, body);
}

/** name(argument: value, …): the name leads to the whole call, each argument to its own tokens. */
function callParts(ctx, call, strip) {
  const text = make("code", "lg-call-text");
  const name = make("span", "lg-called-name", withCodes(call.name) || null);
  if (!call.name) ctx.words.label(name, (w) => w.t("no_name"));
  text.append(leads(ctx, name, "show_span", () => strip.mark([call.span])));
  if (call.error || call.arguments === null) {
    const go = () => strip.mark([call.args_span ?? call.span]);
    if (call.raw_args) text.append(" ", leads(ctx, make("span", "", withCodes(call.raw_args)), "show_arguments", go));
    return text;
  }
  text.append("(");
  Object.entries(call.arguments).forEach(([key, value], i) => {
    const argument = make("span", "lg-argument", make("span", "lg-argument-name", withCodes(key)), ": ", valueText(value));
    text.append(i > 0 ? ", " : "", leads(ctx, argument, "show_argument", () => strip.mark(spansOfArgument(call, key))));
  });
  text.append(")");
  return text;
}

/** Where the model was least sure of a call's arguments; null for a call without any. */
function leastRow(ctx, run, step, call, strip) {
  const least = leastSure(step.tokens, call);
  if (least.why === "no_arguments") return null;
  if (least.why) return note(ctx, "lg-note lg-least", (w) => w.t(`least_${least.why}`));
  const token = step.tokens[least.index];
  const values = { piece: visible(token.piece, token.text, run.start?.vocabulary), p: percent(least.p) };
  const line = button("lg-least");
  ctx.words.label(line, (w) => w.t("least", values));
  tip(ctx.words, line, (w) => w.t("least_hint"));
  line.addEventListener("click", () => strip.show(least.index));
  return line;
}

function callRow(ctx, run, step, call, strip) {
  const why = (w) => w.t("call_error", { why: w.pick(call.error) }) + position(w, call.error);
  const error = call.error && note(ctx, "lg-error", why);
  const repaired = call.repaired && note(ctx, "lg-repaired", (w) => w.t("call_repaired", { what: w.pick(call.repaired) }));
  const least = leastRow(ctx, run, step, call, strip);
  const parts = callParts(ctx, call, strip);
  return row(ctx, call.error ? "error" : "call", "pill_call", parts, error || null, repaired || null, least);
}

function position(w, error) {
  return typeof error.at === "number" ? w.t("call_error_at", { at: error.at + 1 }) : "";
}

function section(ctx, key, ...rows) {
  return make("section", "lg-section lg-reading", ctx.words.label(make("h4", "lg-title"), (w) => w.t(key)), ...rows);
}

/**
 * @param {import("./run.js").Context} ctx
 * @param {import("./state.js").Run} run
 * @param {import("./state.js").Step} step Its turn must be parsed.
 * @param {Strip} strip
 */
export function readingSection(ctx, run, step, strip) {
  const { parsed } = step;
  const rows = [];
  const calls = parsed.tool_calls ?? [];
  if (parsed.thinking) {
    rows.push(textRow(ctx, "thinking", "pill_thinking", parsed.thinking, "show_thinking", parsed.thinking_spans, strip));
  }
  if (parsed.content) {
    const key = calls.length > 0 ? "pill_text" : "pill_answer";
    rows.push(textRow(ctx, "answer", key, parsed.content, "show_content", parsed.content_spans, strip));
  }
  for (const call of calls) rows.push(callRow(ctx, run, step, call, strip));
  if (rows.length === 0) rows.push(note(ctx, "lg-note", (w) => w.t("nothing_read")));
  return section(ctx, "reading_title", ...rows);
}

/** A call as it forms: its name and its arguments as far as they are written. */
export class FormingSection {
  /** @param {import("./run.js").Context} ctx @param {import("./state.js").Step} step */
  constructor(ctx, step) {
    Object.assign(this, { step, call: null, from: null, to: 0 });
    this.name = make("span", "lg-forming-name");
    this.args = document.createTextNode("");
    const text = make("code", "lg-call-text", this.name, "(", this.args, make("span", "lg-caret", "▍"));
    this.element = section(ctx, "forming_title", row(ctx, "call", "pill_call", text));
    this.update();
  }

  /** Adds what has come since; each token is looked at once. */
  update() {
    const { forming, tokens } = this.step;
    if (forming.call !== this.call || forming.args_from !== this.from) {
      Object.assign(this, { call: forming.call, from: forming.args_from, to: forming.args_from });
      this.args.data = "";
    }
    const name = withCodes(forming.name);
    if (this.name.textContent !== name) this.name.textContent = name;
    const { text, to } = argumentsSoFar(tokens, forming, this.to);
    if (text !== "") this.args.appendData(withCodes(text));
    if (forming.args_from !== null) this.to = to;
  }
}
