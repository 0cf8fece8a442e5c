// Offsets in the log count characters as Python does, by code point; JavaScript counts UTF-16 units, of which an emoji has
// two. These two functions are the only place where one is turned into the other.

const SURROGATE = /[\ud800-\udbff]/;

/**
 * From a character offset of the log to an index into a JavaScript string.
 * @param {string} text
 * @returns {(offset: number) => number} Offsets below 0 and beyond the end are moved to the ends.
 */
export function indexer(text) {
  if (!SURROGATE.test(text)) return (offset) => Math.min(Math.max(offset, 0), text.length);
  const starts = [];
  for (let i = 0; i < text.length; i += text.codePointAt(i) > 0xffff ? 2 : 1) starts.push(i);
  starts.push(text.length);
  return (offset) => starts[Math.min(Math.max(offset, 0), starts.length - 1)];
}

/** The number of characters as the log counts them. @param {string} text */
export function countCharacters(text) {
  if (!SURROGATE.test(text)) return text.length;
  let n = 0;
  for (const _ of text) n += 1;
  return n;
}

/** The first `n` characters as the log counts them. @param {string} text @param {number} n */
export function firstCharacters(text, n) {
  return text.slice(0, indexer(text)(n));
}
