// Follows the newest token while the reader is at the bottom of the page, and leaves a reader elsewhere alone. While the page
// shows something else in the viewer's place, such as another tab, what is scrolled there is none of the viewer's business.

import { isShown } from "./dom.js";

// Less than a line of text: whoever has scrolled up by one has left the bottom.
const NEAR = 20;

function scrollerOf(element) {
  for (let node = element; node; node = node.parentElement ?? node.getRootNode().host) {
    const { overflowY } = getComputedStyle(node);
    if ((overflowY === "auto" || overflowY === "scroll") && node !== document.body) return node;
  }
  return document.scrollingElement;
}

/**
 * Where what can be seen around an element ends: the window's bottom, or the top of what the page keeps in front of it there,
 * such as a box to type in.
 * @param {Element} element @param {number} x Where to look, from the window's left side.
 */
export function seenBottom(element, x) {
  const page = element.getRootNode().host ?? element;
  let cover = document.elementFromPoint(x, window.innerHeight - 1);
  if (!cover || cover.contains(page) || page.contains(cover)) return window.innerHeight;
  while (!cover.parentElement.contains(page)) cover = cover.parentElement;
  return cover.getBoundingClientRect().top;
}

export class Follower {
  /** @param {HTMLElement} element Somewhere inside what scrolls. @param {() => void} onChange When atBottom changes. */
  constructor(element, onChange) {
    this.element = element;
    this.scroller = scrollerOf(element);
    this.onChange = onChange;
    this.atBottom = true;
    this.controller = new AbortController();
    const source = this.scroller === document.scrollingElement ? document : this.scroller;
    source.addEventListener("scroll", () => this.look(), { passive: true, signal: this.controller.signal });
  }

  look() {
    if (!isShown(this.element)) return;
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    const atBottom = scrollHeight - scrollTop - clientHeight <= NEAR;
    if (atBottom === this.atBottom) return;
    this.atBottom = atBottom;
    this.onChange();
  }

  /** Goes to the newest, and follows from then on. */
  toBottom() {
    this.atBottom = true;
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.onChange();
  }

  /** After drawing: keeps the bottom in view for a reader who was there. */
  keep() {
    if (this.atBottom && isShown(this.element)) this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  destroy() {
    this.controller.abort();
  }
}
