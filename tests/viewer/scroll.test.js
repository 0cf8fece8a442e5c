import assert from "node:assert/strict";
import test from "node:test";

import { Follower } from "../../app/viewer/scroll.js";
import { newPage } from "./dom.js";

/** A follower in a page of 1,000 pixels, of which 400 are seen; `scroll` is what a reader or the browser does. */
function followed() {
  const body = newPage();
  const scroller = document.scrollingElement;
  Object.assign(scroller, { scrollTop: 600, scrollHeight: 1000, clientHeight: 400 });
  const element = document.createElement("div");
  body.append(element);
  const follower = new Follower(element, () => {});
  const scroll = (top) => {
    scroller.scrollTop = top;
    for (const [kind, listener] of document.listeners) if (kind === "scroll") listener();
  };
  return { element, scroller, follower, scroll };
}

test("the bottom is kept in view for who is there, and for nobody else", () => {
  const { scroller, follower, scroll } = followed();
  scroller.scrollHeight = 1300;
  follower.keep();
  assert.equal(scroller.scrollTop, 1300);
  scroll(200);
  scroller.scrollHeight = 1600;
  follower.keep();
  assert.equal(scroller.scrollTop, 200);
});

test("while the page shows something else in the viewer's place, that is not scrolled, and who followed goes on after it", () => {
  const { element, scroller, follower, scroll } = followed();
  element.hidden = true;
  scroll(0);
  follower.keep();
  assert.equal(scroller.scrollTop, 0);
  element.hidden = false;
  follower.keep();
  assert.equal(scroller.scrollTop, 1000);
});
