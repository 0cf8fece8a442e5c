// A step's prompt: what is new in it, part by part with who wrote it, and what the model has seen already, folded.

import { authors } from "./authors.js";
import { copyButton } from "./copy.js";
import { button, make, show } from "./dom.js";
import { visible, withMarks } from "./numbers.js";
import { controlsByName, controlsOf, earlierText, piecesOf } from "./pieces.js";

/** Appends text in which control tokens are pills. */
function appendText(ctx, run, parent, text, controls, from, to) {
  let at = from;
  for (const control of controls) {
    if (control.from < from || control.to > to) continue;
    if (control.from > at) parent.append(withMarks(text.slice(at, control.from)));
    parent.append(pill(ctx, run, text.slice(control.from, control.to)));
    at = control.to;
  }
  if (at < to) parent.append(withMarks(text.slice(at, to)));
}

function pill(ctx, run, token) {
  const span = make("span", "lg-pill lg-p", token);
  span.tabIndex = -1;
  ctx.explain(run, span, token);
  return span;
}

/** Appends a part token by token, every token a span of its own; pieces are those of the whole context. */
function appendTokens(ctx, run, parent, text, pieces, from, to) {
  pieces.forEach((piece, i) => {
    const start = Math.max(piece.from, from);
    const end = Math.min(piece.to, to);
    // Several tokens can share one character; those that complete none show a mark, once, in the part where they stand.
    const empty = piece.to === piece.from;
    if (empty ? piece.from < from || piece.from >= to : end <= start) return;
    const shown = text.slice(start, end);
    const look = piece.special ? "lg-pill" : i % 2 ? "lg-odd" : "lg-even";
    const span = make("span", `lg-p ${look}`, empty ? "⋯" : withMarks(shown));
    span.dataset.i = String(i);
    span.tabIndex = -1;
    if (piece.special) ctx.explain(run, span, shown);
    else span.title = `${visible(shown)} · id ${piece.id}`;
    parent.append(span);
  });
}

export class PromptSection {
  /**
   * @param {import("./run.js").Context} ctx
   * @param {import("./state.js").Run} run
   * @param {import("./state.js").Step} step Its context must be known.
   */
  constructor(ctx, run, step) {
    Object.assign(this, { ctx, run, step });
    this.context = step.context;
    this.pieces = piecesOf(step.context);
    this.controls = controlsOf(step.context, this.pieces, Object.keys(run.start?.control_tokens ?? {}));
    this.byToken = false;
    this.parts = make("div", "lg-parts");
    ctx.register(this.parts, { run, step, prompt: this });
    this.element = make("section", "lg-section lg-prompt", this.head(), this.seen(), this.parts);
    this.drawParts();
  }

  head() {
    const allNew = this.context.ids_from === 0 && this.context.added_from === 0;
    const title = make("h4", "lg-title");
    this.ctx.words.label(title, (w) => w.t(allNew ? "prompt_all_new" : "prompt_some_new"));
    const toggle = make("input");
    toggle.type = "checkbox";
    toggle.disabled = this.pieces === null;
    toggle.addEventListener("change", () => {
      this.byToken = toggle.checked;
      this.drawParts();
    });
    const label = make("label", "lg-toggle", toggle, this.ctx.words.label(make("span"), (w) => w.t("show_tokens")));
    if (this.pieces === null) this.ctx.words.label(label, (w) => w.t("no_boundaries"), "title");
    const copy = copyButton(this.ctx.words, "copy_prompt", () => this.whole());
    return make("div", "lg-head", title, make("span", "lg-tools", label, copy));
  }

  /** The whole prompt as the model read it; of one that began in an earlier run's log, what is known of it. */
  whole() {
    return (earlierText(this.run.steps, this.run.steps.indexOf(this.step)) ?? "") + this.context.text;
  }

  /** The line under which the known part is folded; its text is put together when it is unfolded. */
  seen() {
    const { ids_from: n, added_from: characters } = this.context;
    if (n === 0 && characters === 0) return null;
    this.seenLabel = make("span");
    this.ctx.words.label(this.seenLabel, (w) => this.seenText(w, n));
    const fold = button("lg-fold", make("span", "lg-arrow", "▸"), this.seenLabel);
    fold.setAttribute("aria-expanded", "false");
    const body = make("div", "lg-seen");
    this.ctx.register(body, { run: this.run, step: this.step });
    show(body, false);
    fold.addEventListener("click", () => {
      const open = fold.getAttribute("aria-expanded") !== "true";
      fold.setAttribute("aria-expanded", String(open));
      if (open && body.childNodes.length === 0) this.fillSeen(body);
      show(body, open);
    });
    return make("div", "", fold, body);
  }

  seenText(w, n) {
    const cached = this.step.prefill?.n_reused;
    if (cached === undefined || cached === null) return w.t("seen", { n });
    return cached >= n ? w.t("seen_cached", { n }) : w.t("seen_part_cached", { n, cached });
  }

  fillSeen(body) {
    const text = earlierText(this.run.steps, this.run.steps.indexOf(this.step));
    if (text === null) {
      body.append(this.ctx.words.label(make("p", "lg-note"), (w) => w.t("seen_elsewhere")));
      return;
    }
    const controls = controlsByName(text, Object.keys(this.run.start?.control_tokens ?? {}));
    appendText(this.ctx, this.run, body, text, controls, 0, text.length);
  }

  /** The prefill has told how much was in the cache. */
  update() {
    if (this.seenLabel) this.ctx.words.refresh(this.seenLabel);
  }

  drawParts() {
    const { text } = this.context;
    const before = this.run.steps[this.run.steps.indexOf(this.step) - 1];
    const parts = authors(text, this.controls, {
      goesOn: before !== undefined,
      toolResults: (before?.tools ?? []).map((tool) => tool.result?.result ?? tool.result?.error ?? ""),
      feedback: (before?.feedback ?? []).map((event) => event.text),
    });
    this.ctx.words.forget(this.parts);
    this.parts.replaceChildren(...parts.map((part) => this.part(text, part)));
    const first = this.parts.querySelector(".lg-p");
    if (first) first.tabIndex = 0;
  }

  part(text, { by, from, to }) {
    const name = this.ctx.words.label(make("span", "lg-by"), (w) => w.t(`by_${by}`));
    this.ctx.words.label(name, (w) => w.t(`by_${by}_means`), "title");
    const body = make("div", "lg-part-text");
    if (this.byToken) appendTokens(this.ctx, this.run, body, text, this.pieces, from, to);
    else appendText(this.ctx, this.run, body, text, this.controls, from, to);
    return make("div", `lg-part lg-by-${by}`, name, body);
  }
}
