// A button that copies a text exactly as the model read or wrote it, without the marks that the page puts in.

import { button } from "./dom.js";

const SAID_FOR_MS = 1500;

/**
 * @param {import("./words.js").Words} words
 * @param {string} key What it copies, as a key of the wording.
 * @param {() => string|null} text Called at each press; null where there is nothing to copy.
 * @returns {HTMLButtonElement|null} Null where the browser offers no clipboard, as on a plain http address of another machine.
 */
export function copyButton(words, key, text) {
  if (!navigator.clipboard) return null;
  let copied = false;
  const element = words.label(button("lg-copy"), (w) => w.t(copied ? "copied" : key));
  const say = (value) => {
    copied = value;
    words.refresh(element);
  };
  element.addEventListener("click", async () => {
    const copy = text();
    if (copy === null) return;
    await navigator.clipboard.writeText(copy);
    say(true);
    setTimeout(() => say(false), SAID_FOR_MS);
  });
  return element;
}
