// A step's prompt: how much of it is reused, new and read again and why; what is new, part by part with whose it is; and what
// the model has seen already, folded.

import { copyButton } from "./copy.js";
import { button, make, show } from "./dom.js";
import { blocksOf, blockState, changesOf, counts, split } from "./ledger.js";
import { known, visible, withMarks } from "./numbers.js";
import { controlsByName, controlsOf, earlierText, piecesOf } from "./pieces.js";
import { explained } from "./tips.js";

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

/** Makes the first token of a group the one at which Tab stops. */
function addTabStop(group) {
  const first = group.querySelector(".lg-p");
  if (first) first.tabIndex = 0;
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

/** Where the prompt departs: the text from there on, then and now, one above the other. */
function departure(words, departs) {
  const text = (side) => make("code", "", withMarks(side).replaceAll("\n", ""));
  return make(
    "div", "lg-ledger-where",
    words.label(make("p"), (w) => w.t("departs_at", { n: departs.token })),
    words.label(make("span"), (w) => w.t("departs_was")), text(departs.was),
    words.label(make("span"), (w) => w.t("departs_now")), text(departs.now),
  );
}

/** What the ledger says in a sentence; "" where there is nothing to compare with. */
export function ledgerText(w, context) {
  const sum = counts(context);
  const changed = changesOf(context.departs).map(({ key, values }) => w.t(key, values));
  if (changed.length > 0) {
    const values = { changes: changed.join(w.t("semicolon")), n: context.departs.n_again };
    const sentence = w.t(context.departs.n_again === null ? "ledger_changed_unknown" : "ledger_changed", values);
    return sentence[0].toUpperCase() + sentence.slice(1);
  }
  return sum && sum.reused > 0 ? w.t("ledger_goes_on", { n: sum.reused, new: sum.fresh }) : "";
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
    Object.assign(this, split(step.context));
    this.byToken = false;
    this.parts = make("div", "lg-parts");
    ctx.register(this.parts, { run, step, prompt: this });
    this.element = make("section", "lg-section lg-prompt", this.head(), this.ledger(), this.seen(), this.parts);
    this.drawParts();
  }

  head() {
    const title = make("h4", "lg-title");
    this.ctx.words.label(title, (w) => w.t(this.same.any ? "prompt_some_new" : "prompt_all_new"));
    const toggle = make("input");
    toggle.type = "checkbox";
    toggle.disabled = this.pieces === null;
    toggle.addEventListener("change", () => {
      this.byToken = toggle.checked;
      this.drawParts();
      this.ctx.request();
    });
    const said = this.ctx.words.label(make("span"), (w) => w.t("show_tokens"));
    if (this.pieces === null) explained(this.ctx.words, said, (w) => w.t("no_boundaries"));
    const label = make("label", "lg-toggle", toggle, said);
    const copy = copyButton(this.ctx.words, "copy_prompt", () => this.whole());
    return make("div", "lg-head", title, make("span", "lg-tools", label, copy));
  }

  /** The bar with its numbers, where tokens can be counted, and the sentences that say what was changed and where. */
  ledger() {
    const { departs } = this.context;
    const sum = counts(this.context);
    const counted = sum !== null && sum.reused + sum.again > 0;
    if (!counted && !departs) return null;
    const { words } = this.ctx;
    const text = words.label(make("p", "lg-ledger-text"), (w) => ledgerText(w, this.context));
    const where = departs ? departure(words, departs) : null;
    return make("div", "lg-ledger", ...(counted ? this.bar(sum) : []), text, where);
  }

  /** The bar of three colours and what each colour counts. */
  bar(sum) {
    const { words } = this.ctx;
    const bar = make("div", "lg-ledger-bar");
    const legend = make("div", "lg-ledger-counts");
    for (const [key, n] of Object.entries(sum)) {
      if (n === 0) continue;
      const piece = make("span", `lg-ledger-${key}`);
      piece.style.flexGrow = String(n);
      bar.append(piece);
      const item = words.label(make("span", ""), (w) => w.t(`ledger_${key}`, { n }));
      explained(words, item, (w) => w.t(`ledger_${key}_means`));
      legend.append(make("span", "lg-ledger-item", make("span", `lg-swatch lg-ledger-${key}`), item));
    }
    bar.setAttribute("aria-hidden", "true");
    return [bar, legend];
  }

  /** The whole prompt as the model read it; of one that began in an earlier run's log, what is known of it. */
  whole() {
    return (earlierText(this.run.steps, this.run.steps.indexOf(this.step)) ?? "") + this.context.text;
  }

  /** The line under which the known part is folded; its text is put together when it is unfolded. */
  seen() {
    if (!this.same.any) return null;
    this.seenLabel = make("span");
    this.ctx.words.label(this.seenLabel, (w) => this.seenText(w));
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
      this.ctx.request();
    });
    return make("div", "", fold, body);
  }

  seenText(w) {
    const { n } = this.same;
    const cached = this.step.prefill?.n_reused;
    if (n === null) return w.t("seen_uncounted");
    if (!known(cached)) return w.t("seen", { n });
    if (cached >= n) return w.t("seen_cached", { n });
    // What the model writes last is not read in the same turn, so that the cache lacks it where the prompt goes on from there.
    const onlyLast = n - cached === 1 && !this.context.departs;
    return w.t(onlyLast ? "seen_but_last_cached" : "seen_part_cached", { n, cached, again: n - cached });
  }

  fillSeen(body) {
    const earlier = earlierText(this.run.steps, this.run.steps.indexOf(this.step));
    if (earlier === null) {
      body.append(this.ctx.words.label(make("p", "lg-note"), (w) => w.t("seen_elsewhere")));
      return;
    }
    const text = earlier + this.context.text.slice(0, this.reused.at(-1)?.to ?? 0);
    const controls = controlsByName(text, Object.keys(this.run.start?.control_tokens ?? {}));
    appendText(this.ctx, this.run, body, text, controls, 0, text.length);
    addTabStop(body);
  }

  /** The prefill has told how much was in the cache. */
  update() {
    if (this.seenLabel) this.ctx.words.refresh(this.seenLabel);
  }

  drawParts() {
    const { text } = this.context;
    this.ctx.words.forget(this.parts);
    const blocks = blocksOf(this.rest, text, Object.keys(this.run.start?.stop_tokens ?? {}));
    this.parts.replaceChildren(...blocks.map((block) => this.block(text, block)));
    if (blocks.length === 0) this.parts.append(this.unowned(text));
    addTabStop(this.parts);
  }

  block(text, block) {
    const { words } = this.ctx;
    const { n, state } = blockState(block);
    const label = words.label(make("span", "lg-by"), (w) => [
      w.t(`by_${block.by}`), ...(n === null ? [] : [String(n)]), ...(state === "new" ? [] : [w.t(`state_${state}`)]),
    ].join(" · "));
    const pale = n !== null && block.by !== "template" && block.parts.some((part) => part.by === "template");
    explained(words, label, (w) => [
      w.t(`by_${block.by}_means`), w.t(`state_${state}_means`), ...(pale ? [w.t("block_count", { n })] : []),
    ].join(w.t("semicolon")));
    const body = make("div", "lg-part-text");
    for (const part of block.parts) {
      const span = make("span", `lg-st-${part.state}${part.by === "template" ? " lg-template" : ""}`);
      this.append(span, text, part.from, part.to);
      body.append(span);
    }
    return make("div", `lg-part lg-by-${block.by} lg-has-${state}`, label, body);
  }

  append(parent, text, from, to) {
    if (this.byToken) appendTokens(this.ctx, this.run, parent, text, this.pieces, from, to);
    else appendText(this.ctx, this.run, parent, text, this.controls, from, to);
  }

  /** The new part of a log that does not say whose it is. */
  unowned(text) {
    const body = make("div", "lg-part-text");
    this.append(body, text, this.reused.at(-1)?.to ?? 0, text.length);
    return make("div", "lg-part", body);
  }
}
