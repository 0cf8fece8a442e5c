// Moving through tokens by keyboard and pointer. Focus stays on the token, the popover follows it; of each group of tokens one
// is a tab stop (a roving tabindex), so that a turn of a thousand tokens costs one press of Tab.

import { isShown } from "./dom.js";
import { known, percent, visible } from "./numbers.js";
import { textOf } from "./pieces.js";

const MOVES = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);
const TOKEN = ".lg-t, .lg-p";
const GROUP = ".lg-strip, .lg-parts, .lg-seen";

export class Selection {
  /**
   * @param {HTMLElement} root
   * @param {WeakMap<Element, object>} registry What stands behind a group of tokens.
   * @param {import("./popover.js").Popover} popover
   * @param {import("./words.js").Words} words
   */
  constructor(root, registry, popover, words) {
    Object.assign(this, { root, registry, popover, words });
    /** @type {HTMLElement|null} */
    this.span = null;
    this.controller = new AbortController();
    const { signal } = this.controller;
    root.addEventListener("click", (event) => this.onClick(event), { signal });
    root.addEventListener("focusin", (event) => this.onFocus(event), { signal });
    document.addEventListener("keydown", (event) => this.onKey(event), { signal });
    document.addEventListener("pointerdown", (event) => this.onPointerElsewhere(event), { signal });
  }

  destroy() {
    this.controller.abort();
  }

  onClick(event) {
    const span = event.target.closest(TOKEN);
    if (!span) return;
    // A drag that selects text, to copy it, is no click on a token.
    if (this.selectsText()) return;
    const again = this.popover.target?.span === span;
    this.select(span);
    if (again) this.popover.close();
    else this.open();
  }

  /** Chromium keeps a shadow tree's selection in its root, other browsers in the document. */
  selectsText() {
    const scope = this.root.getRootNode();
    return (scope.getSelection?.() ?? document.getSelection())?.type === "Range";
  }

  onFocus(event) {
    if (event.target.matches(TOKEN) && event.target !== this.span) this.adopt(event.target);
  }

  onPointerElsewhere(event) {
    if (!this.popover.isOpen) return;
    const path = event.composedPath();
    const stays = path.includes(this.popover.element) || path.some((each) => each instanceof Element && each.matches(TOKEN));
    if (!stays) this.popover.close();
  }

  /** Keys count on a token, and, where nothing on the page has the focus, those that do not scroll it. */
  onKey(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const target = event.composedPath()[0];
    const onToken = target instanceof Element && this.root.contains(target) && target.matches(TOKEN);
    const nowhere = target === document.body || target === document.documentElement;
    if (event.key === "Escape" && this.popover.isOpen && (onToken || nowhere || this.root.contains(target))) {
      this.popover.close();
    } else if (onToken || (nowhere && (this.popover.isOpen || event.key === "ArrowLeft" || event.key === "ArrowRight"))) {
      if (!this.act(event.key)) return;
    } else {
      return;
    }
    event.preventDefault();
  }

  /** @returns {boolean} Whether the key meant something here. */
  act(key) {
    if (key === "Enter" || key === " ") {
      if (!this.current) return false;
      if (this.popover.target?.span === this.current) this.popover.close();
      else this.open();
      return true;
    }
    if (!MOVES.has(key)) return false;
    const next = this.next(key);
    if (!next) return this.current !== null;
    const wasOpen = this.popover.isOpen;
    this.select(next);
    if (wasOpen) this.open();
    return true;
  }

  /** The selected token, if it is still on the page. */
  get current() {
    return this.span && this.root.contains(this.span) && isShown(this.span) ? this.span : null;
  }

  next(key) {
    const groups = this.strips();
    if (groups.length === 0) return null;
    if (!this.current) return this.tokens(groups[0])[0] ?? null;
    const group = this.current.closest(GROUP);
    const tokens = this.tokens(group);
    const index = tokens.indexOf(this.current);
    if (key === "Home") return tokens[0];
    if (key === "End") return tokens.at(-1);
    if (key === "ArrowUp") return this.inOtherStep(groups, group, true) ?? tokens[0];
    if (key === "ArrowDown") return this.inOtherStep(groups, group, false);
    const beside = tokens[key === "ArrowRight" ? index + 1 : index - 1];
    if (beside || !group.matches(".lg-strip")) return beside ?? null;
    const other = this.tokens(groups[groups.indexOf(group) + (key === "ArrowRight" ? 1 : -1)]);
    return (key === "ArrowRight" ? other[0] : other.at(-1)) ?? null;
  }

  /** The first token of the next turn above or below, which for a prompt is the turn that answers it. */
  inOtherStep(groups, group, up) {
    const all = [...this.root.querySelectorAll(GROUP)];
    const at = all.indexOf(group);
    const others = up ? all.slice(0, at).reverse() : all.slice(at + 1);
    return this.tokens(others.find((each) => groups.includes(each)))[0] ?? null;
  }

  strips() {
    return [...this.root.querySelectorAll(".lg-strip")].filter((strip) => strip.firstChild && isShown(strip));
  }

  tokens(group) {
    if (!group) return [];
    return this.registry.get(group)?.card?.strip.spans ?? [...group.querySelectorAll(".lg-p")];
  }

  /** @param {HTMLElement} span */
  select(span) {
    this.adopt(span);
    span.focus({ preventScroll: true });
    span.scrollIntoView({ block: "nearest" });
  }

  /** Makes a token the tab stop of its group. */
  adopt(span) {
    const group = span.closest(GROUP);
    for (const stop of group.querySelectorAll('[tabindex="0"]')) stop.tabIndex = -1;
    span.tabIndex = 0;
    span.setAttribute("role", "button");
    // What was said of the token before would stay in its words when the language or the number of tokens changes.
    if (this.span !== span) this.span?.removeAttribute("aria-label");
    this.span = span;
    this.describe();
  }

  /** What a screen reader says of the selected token, in the language of the moment. */
  describe() {
    const target = this.span && this.target(this.span);
    if (target?.kind !== "token") return;
    const token = target.step.tokens[target.index];
    const piece = visible(token.piece, token.text, target.run.start?.vocabulary);
    const values = { piece, n: target.index + 1, of: target.step.tokens.length };
    const hasP = known(token.p);
    if (hasP) values.p = percent(token.p);
    this.span.setAttribute("aria-label", this.words.t(hasP ? "token_label" : "token_label_plain", values));
  }

  open() {
    const target = this.current && this.target(this.current);
    if (target) this.popover.open(target);
  }

  /** @param {HTMLElement} span @returns {import("./popover.js").Target|null} */
  target(span) {
    const behind = this.registry.get(span.closest(GROUP));
    if (!behind) return null;
    const { run, step, card, prompt } = behind;
    const index = Number(span.dataset.i);
    if (card) return { kind: "token", run, step, index, span };
    const piece = span.dataset.i === undefined ? null : prompt?.pieces?.[index] ?? null;
    const text = piece && piece.to > piece.from ? textOf(step.context, piece) : span.textContent;
    return { kind: "prompt", run, step, piece, index: index + (step.context?.ids_from ?? 0), text, span };
  }
}
