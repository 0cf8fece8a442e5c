// Explanations that show where their element is pointed at, tapped or reached by keyboard; a browser's own tooltip would hide
// them from keyboard and touch.

import { isShown, make } from "./dom.js";
import { seenBottom } from "./scroll.js";

const GAP = 6;
const EXPLAINED = "[data-tip]";

/**
 * Gives an element that can be reached anyway, such as a button, an explanation in the words' language.
 * @template {HTMLElement} T
 * @param {import("./words.js").Words} words
 * @param {T} element
 * @param {(words: import("./words.js").Words) => string} fill
 * @returns {T}
 */
export function tip(words, element, fill) {
  words.label(element, fill, "data-tip");
  return words.label(element, fill, "aria-description");
}

/** The same for one that nothing else leads to: it becomes a tab stop. @type {typeof tip} */
export function explained(words, element, fill) {
  element.tabIndex = 0;
  element.setAttribute("role", "note");
  element.classList.add("lg-explained");
  return tip(words, element, fill);
}

export class Tips {
  /** @param {HTMLElement} root Positioned; the explanation stands in it. */
  constructor(root) {
    this.root = root;
    /** @type {HTMLElement|null} */
    this.target = null;
    this.element = make("div", "lg-tip");
    this.element.setAttribute("role", "tooltip");
    this.element.setAttribute("aria-hidden", "true"); // The element's own description says it.
    this.element.hidden = true;
    root.append(this.element);
    this.controller = new AbortController();
    const { signal } = this.controller;
    const meets = (event) => this.show(event.target.closest(EXPLAINED));
    // A tap ends in a click, after the pointer has already left.
    for (const kind of ["pointerover", "focusin", "click"]) root.addEventListener(kind, meets, { signal });
    for (const kind of ["pointerleave", "focusout"]) root.addEventListener(kind, () => this.show(null), { signal });
    root.addEventListener("keyup", () => this.redraw(), { signal });
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.show(null), { signal });
  }

  destroy() {
    this.controller.abort();
  }

  /** @param {HTMLElement|null} target */
  show(target) {
    this.target = target;
    this.redraw();
  }

  /** Writes it again, after a switch of language or where what it stood at is gone. */
  redraw() {
    // A token whose details are open says more there.
    const shown = this.target !== null && isShown(this.target) && !this.target.classList.contains("lg-open");
    this.element.hidden = !shown;
    if (!shown) return;
    this.element.textContent = this.target.getAttribute("data-tip");
    this.place();
  }

  /** Under its element; above it where there is no room to be seen. */
  place() {
    const at = this.target.getBoundingClientRect();
    const base = this.root.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.element;
    const below = at.bottom + GAP + offsetHeight <= seenBottom(this.root, at.left);
    this.element.style.left = `${Math.max(0, Math.min(at.left - base.left, base.width - offsetWidth))}px`;
    this.element.style.top = `${(below ? at.bottom + GAP : at.top - GAP - offsetHeight) - base.top}px`;
  }
}
