// JSON whose large whole numbers keep every digit: JavaScript's own numbers hold about 16, but an argument of a call must stand on
// the page as the model wrote it. They become BigInt. Pure.

const MANY_DIGITS = /\d{16}/;
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
// Puts a number into a string on its way, and out of it again. No text can hold it by design, because nobody can guess it.
const MARK = `whole ${Math.random()} `;
const MARKED = new RegExp(`"${MARK.replace(".", "\\.")}(-?\\d+)"`, "g");

function isLarge(literal) {
  return /^-?\d+$/.test(literal) && !Number.isSafeInteger(Number(literal));
}

/** As JSON.parse. @param {string} text */
export function parseJson(text) {
  if (!MANY_DIGITS.test(text)) return JSON.parse(text);
  const marked = text.replaceAll(STRING_OR_NUMBER, (found) => (isLarge(found) ? `"${MARK}${found}"` : found));
  const revive = (_, value) => (typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value);
  return JSON.parse(marked, revive);
}

/** As JSON.stringify. @param {unknown} value */
export function jsonText(value) {
  const marked = JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `${MARK}${each}` : each));
  return marked.replaceAll(MARKED, "$1");
}
