// The tokens that a model wrote, as a strip of spans. A span shows the text and the doubt; every number stays in the log's
// events, and the popover reads it there.

import { make } from "./dom.js";
import { doubt, withMarks } from "./numbers.js";
import { isUpset } from "./odds.js";

// Sealed blocks that are out of sight cost no layout (content-visibility in viewer.css). A block must begin on a line of its
// own, so it is sealed at a line break where one comes soon enough.
const BLOCK = 200;
const BLOCK_AT_MOST = 300;
// Asking the clock costs about as much as drawing a token, so it is asked once in so many.
const CLOCK_EVERY = 16;

const CHANNEL_CLASS = { thought: " lg-thought", tool_call: " lg-call", control: " lg-control", content: "" };

function classOf(token) {
  const level = doubt(token.p);
  const look = token.special ? " lg-pill" : (CHANNEL_CLASS[token.channel] ?? "") + (token.text === "" ? " lg-incomplete" : "");
  return `lg-t${look}${level ? ` lg-d${level}` : ""}${isUpset(token) ? " lg-upset" : ""}`;
}

/** What a token shows in the strip: "⋯" for one that completes no character, because an empty span could not be pointed at. */
function shownText(token) {
  if (token.special) return token.text || token.piece;
  return token.text === "" ? "⋯" : withMarks(token.text);
}

export class TokenStrip {
  /**
   * @param {import("./state.js").Step} step
   * @param {(span: HTMLElement, token: object) => void} explain Gives a control token its tooltip.
   */
  constructor(step, explain) {
    this.step = step;
    this.explain = explain;
    /** @type {HTMLElement[]} The span of each token. */
    this.spans = [];
    this.block = null;
    this.marked = [];
    this.element = make("div", "lg-strip");
  }

  get complete() {
    return this.spans.length >= this.step.tokens.length;
  }

  /**
   * Draws tokens that are not drawn yet, in order, until the deadline.
   * @param {number} deadline As performance.now() counts. At least a few tokens are drawn, so that drawing always goes on.
   */
  draw(deadline) {
    const { tokens } = this.step;
    while (!this.complete) {
      this.append(tokens[this.spans.length]);
      if (this.spans.length % CLOCK_EVERY === 0 && performance.now() >= deadline) return;
    }
  }

  append(token) {
    const n = this.block?.childElementCount ?? 0;
    if (this.block === null || n >= BLOCK_AT_MOST || (n >= BLOCK && this.endsLine)) {
      this.block?.classList.add("lg-sealed");
      this.block = make("div", "lg-block");
      this.element.append(this.block);
    }
    const span = document.createElement("span");
    span.className = classOf(token);
    span.textContent = shownText(token);
    span.dataset.i = String(this.spans.length);
    if (this.spans.length === 0) span.tabIndex = 0;
    if (token.special) this.explain(span, token);
    this.spans.push(span);
    this.block.append(span);
    if (token.marker) this.showMarker(token.marker);
    // A control token often stands on a line of its own, with the break in the token after it.
    this.endsLine = token.text.endsWith("\n");
  }

  /** A marker has ended that began some tokens before: what looked like text was part of it. */
  showMarker(n) {
    for (const span of this.spans.slice(-n)) {
      span.classList.remove("lg-thought", "lg-call");
      span.classList.add("lg-control");
    }
  }

  /**
   * Marks tokens as those that wrote something, and no others; the same ones a second time, none at all.
   * @param {import("./spans.js").Spans} spans
   * @returns {HTMLElement|null} The first that is marked.
   */
  mark(spans) {
    const wanted = spans.flatMap(([from, to]) => this.spans.slice(from, to));
    const again = wanted.length === this.marked.length && wanted[0] === this.marked[0];
    this.unmark();
    if (again) return null;
    this.marked = wanted;
    for (const span of wanted) span.classList.add("lg-marked");
    return wanted[0] ?? null;
  }

  unmark() {
    for (const span of this.marked) span.classList.remove("lg-marked");
    this.marked = [];
  }
}
