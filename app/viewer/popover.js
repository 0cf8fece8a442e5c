// The one popover of the viewer: what a token is, the odds it had, and in a sentence what happened there.

import { button, isShown, make } from "./dom.js";
import { known, logText, multiple, percent, short, visible } from "./numbers.js";
import { activeSettings, candidates, cuts, equallyLikely, happened } from "./odds.js";
import { seenBottom } from "./scroll.js";
import { explained } from "./tips.js";

const GAP = 6;

/** A number whose exact value stays readable: where it is pointed at or tapped, and for programs. */
function exact(value, text) {
  const span = make("span", "lg-num", text);
  span.dataset.value = String(value);
  span.dataset.tip = String(value);
  return span;
}

/** How each fact of a token is written, in the order in which they stand. */
const FACTS = {
  p: (token) => percent(token.p),
  rank: (token) => String(token.rank),
  logprob: (token) => logText(token.logprob),
  entropy: (token, words) => words.t("entropy_is", { n: short(equallyLikely(token.entropy)), bits: short(token.entropy) }),
  p_sampled: (token, words) => {
    const p = percent(token.p_sampled);
    return known(token.kept) ? words.t("p_sampled_is", { p, kept: token.kept }) : p;
  },
};

/** Where a token is seen: one that is wrapped may have a leading space at the end of the line before. */
function widestRect(span) {
  const rects = [...span.getClientRects()].sort((a, b) => b.width - a.width);
  return rects[0] ?? span.getBoundingClientRect();
}

/** @typedef {{kind: "token", run: object, step: object, index: number, span: HTMLElement}
 *   | {kind: "prompt", run: object, step: object, piece: object|null, index: number, text: string, span: HTMLElement}} Target */

export class Popover {
  /** @param {HTMLElement} root Positioned; the popover stands in it. @param {import("./words.js").Words} words */
  constructor(root, words) {
    this.root = root;
    this.words = words;
    /** @type {Target|null} */
    this.target = null;
    /** What it adds to the root's height, in pixels. */
    this.room = 0;
    this.element = make("div", "lg-popover");
    this.element.hidden = true;
    this.element.setAttribute("role", "region");
    this.element.setAttribute("aria-live", "polite");
    root.append(this.element);
    // What comes above a token while the popover is open, such as the answer, moves the token away under it.
    this.observer = new ResizeObserver(() => this.place());
    this.observer.observe(root);
  }

  get isOpen() {
    return this.target !== null;
  }

  /** @param {Target} target */
  open(target) {
    this.unmark();
    this.target = target;
    target.span.classList.add("lg-open");
    target.span.setAttribute("aria-expanded", "true");
    this.element.hidden = false;
    this.redraw();
    this.element.scrollIntoView({ block: "nearest" });
  }

  destroy() {
    this.observer.disconnect();
  }

  /** Who was in the popover is back at its token. */
  close() {
    const token = this.element.contains(this.root.getRootNode().activeElement) ? this.target?.span : null;
    this.unmark();
    this.target = null;
    this.element.hidden = true;
    this.write();
    this.makeRoom(0);
    token?.focus({ preventScroll: true });
  }

  unmark() {
    this.target?.span.classList.remove("lg-open");
    this.target?.span.setAttribute("aria-expanded", "false");
  }

  /** Writes the content anew, as after a switch of language or when more is known. */
  redraw() {
    if (this.target === null) return;
    const { words } = this;
    this.element.setAttribute("aria-label", words.t("details"));
    const close = button("lg-close", "×");
    close.setAttribute("aria-label", words.t("close"));
    close.addEventListener("click", () => this.close());
    const content = this.target.kind === "token" ? this.tokenContent() : this.promptContent();
    this.write(close, ...content.filter((each) => each !== null));
    this.place();
  }

  /** Replaces the content, and forgets the labels in it. @param {...Node} content */
  write(...content) {
    this.words.forget(this.element);
    this.element.replaceChildren(...content);
  }

  /** Follows what was drawn since: more tokens in the turn, and a token that was moved, folded away or drawn anew. */
  keepUp() {
    if (this.target?.kind === "token") this.sayWhere();
    this.place();
  }

  /** Below the token, or above it where there is more room; never beyond the viewer's sides. Closes where there is no token. */
  place() {
    if (this.target === null) return;
    if (!isShown(this.target.span)) {
      this.close();
      return;
    }
    const token = widestRect(this.target.span);
    const root = this.root.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const left = Math.max(0, Math.min(token.left - root.left, root.width - width));
    const bottom = seenBottom(this.root, token.left);
    this.element.style.scrollMarginBottom = `${window.innerHeight - bottom + GAP}px`;
    const below = bottom - token.bottom >= height + 2 * GAP || token.top < height + 2 * GAP;
    const top = below ? token.bottom - root.top + GAP : token.top - root.top - height - GAP;
    this.element.style.left = `${left}px`;
    this.element.style.top = `${top}px`;
    this.makeRoom(top + height + GAP - (root.height - this.room));
  }

  /** Lets the page be scrolled as far as the popover reaches: the box at its bottom stands over what is behind the last card. */
  makeRoom(needed) {
    this.room = Math.max(0, needed);
    this.root.style.paddingBottom = this.room > 0 ? `${this.room}px` : "";
  }

  promptContent() {
    const { piece, index, text, run } = this.target;
    const { words } = this;
    const isControl = this.target.span.classList.contains("lg-pill");
    return [
      make("div", "lg-pop-head", make("span", "lg-piece", isControl ? text : visible(text))),
      isControl ? make("p", "lg-sentence", this.purpose(run, text)) : null,
      piece ? make("p", "lg-where", words.t("where_prompt", { n: index + 1, id: piece.id })) : null,
    ];
  }

  purpose(run, token) {
    return this.words.pickFrom(run.start?.control_tokens, token) ?? this.words.t("control_unknown");
  }

  tokenContent() {
    const { run, step, index } = this.target;
    const token = step.tokens[index];
    const settings = run.start?.settings ?? {};
    this.where = make("span", "lg-where");
    this.where.setAttribute("aria-live", "off"); // It counts on while the turn is written, which is not to be read out each time.
    this.sayWhere();
    return [
      make("div", "lg-pop-head", make("span", "lg-piece", this.shown(token.piece, token.text)), this.where),
      token.special ? make("p", "lg-purpose", this.purpose(run, token.piece)) : null,
      make("p", "lg-sentence", this.sentence(token, settings)),
      token.draft ? make("p", "lg-where", this.guess(token.draft)) : null,
      this.facts(token),
      this.missing(token),
      this.top(token, settings),
    ];
  }

  /** Which token of how many. */
  sayWhere() {
    const { step, index } = this.target;
    const { length } = step.tokens;
    const text = this.words.t("where", { step: step.n, n: index + 1, of: length, id: step.tokens[index].id });
    if (this.where.textContent !== text) this.where.textContent = text;
  }

  sentence(token, settings) {
    const values = { rank: token.rank, share: settings.top_p, temperature: settings.temperature };
    if (known(token.p)) values.p = percent(token.p);
    if (known(token.p_sampled)) values.after = percent(token.p_sampled);
    return this.words.t(`happened_${happened(token, settings)}`, values);
  }

  guess({ piece, accepted }) {
    return this.words.t(accepted ? "draft_token_held" : "draft_token_fell", { piece: this.shown(piece) });
  }

  /** A piece of the target's run, readable. */
  shown(piece, text) {
    return visible(piece, text, this.target.run.start?.vocabulary);
  }

  facts(token) {
    const { words } = this;
    const list = make("dl", "lg-pop-facts");
    for (const [key, write] of Object.entries(FACTS)) {
      if (!known(token[key])) continue;
      const value = exact(token[key], write(token, words));
      value.dataset.fact = key;
      list.append(make("dt", "", words.t(key)), make("dd", "", value));
    }
    return list;
  }

  /** What the backend does not tell, in one sentence; nothing is guessed in its place. */
  missing(token) {
    const { words } = this;
    const keys = Object.keys(FACTS).filter((key) => !known(token[key]));
    if (!(token.top?.length > 0)) keys.push("top");
    if (keys.length === 0) return null;
    const what = keys.map((key) => words.t(`what_${key}`)).join(words.t("comma"));
    return make("p", "lg-missing", words.t("unknown", { what }));
  }

  top(token, settings) {
    const rows = candidates(token, settings);
    if (rows.length === 0) return null;
    const weighed = rows.some((row) => row.weight !== null);
    const title = make("span", "", this.words.t("top_title", { n: token.top.length }));
    const head = make("div", "lg-top-head", title, this.stages(settings, weighed));
    const className = weighed ? "lg-candidates lg-weighed" : "lg-candidates";
    return make("div", className, head, ...rows.map((row) => this.candidate(row, token)));
  }

  /** What the numbers behind the arrows of each candidate are. */
  stages(settings, weighed) {
    const { words } = this;
    const named = (active) => active.map(({ key, n }) => words.t(key, { n })).join(" · ");
    if (weighed) {
      const values = { n: settings.temperature, settings: named(cuts(settings)) };
      return explained(words, make("span", "lg-stages", words.t("top_stages", values)), (w) => w.t("top_stages_mean", values));
    }
    const active = named(activeSettings(settings));
    return make("span", "", active ? words.t("top_settings", { settings: active }) : words.t("top_no_settings"));
  }

  candidate(row, token) {
    const { words } = this;
    const bar = make("span", "lg-bar");
    bar.style.width = `${Math.max(row.p * 100, 0.5)}%`;
    const afterBar = make("span", "lg-bar lg-bar-after");
    afterBar.style.width = `${(row.after ?? 0) * 100}%`;
    const piece = make("span", "lg-candidate-piece", this.shown(row.piece, row.chosen ? token.text : ""));
    if (row.chosen) piece.dataset.tip = words.t("chosen");
    const element = make(
      "div", row.chosen ? "lg-candidate lg-chosen" : row.kept ? "lg-candidate" : "lg-candidate lg-cut",
      make("span", "lg-mark", row.chosen ? "✓" : ""), piece, make("span", "lg-bars", bar, afterBar),
      exact(row.p, percent(row.p)), ...this.afterTemperature(row), this.afterSettings(row),
    );
    element.dataset.id = String(row.id);
    return element;
  }

  /** What the temperature alone did, where that is a number of its own. */
  afterTemperature(row) {
    if (row.weight === null) return [];
    const cell = exact(row.weight, this.words.t("after", { p: multiple(row.weight) }));
    cell.classList.add("lg-weight");
    return [cell];
  }

  afterSettings(row) {
    const { words } = this;
    if (!row.kept) return make("span", "lg-after", words.t(row.cutBy === null ? "cut" : `cut_by_${row.cutBy}`));
    if (row.after === null) return make("span", "lg-after", words.t("kept"));
    const cell = exact(row.after, words.t("after", { p: percent(row.after) }));
    cell.classList.add("lg-after");
    return cell;
  }
}
