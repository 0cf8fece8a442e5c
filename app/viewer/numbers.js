// How numbers and invisible characters are written for people, and read from JSON without a loss. Pure.

import { textOfPiece } from "./vocabulary.js";

/**
 * A probability as a percentage, with as many digits as say something: "99.98 %", "81.3 %", "5.68 %", "0.042 %". What would
 * round to certain or to impossible is said as a bound, because it is neither.
 * @param {number} p From 0 to 1.
 */
export function percent(p) {
  const value = p * 100;
  if (value === 0 || value === 100) return `${value} %`;
  if (value < 0.001) return "< 0.001 %";
  if (value > 99.99) return "> 99.99 %";
  if (value >= 99.9) return `${value.toFixed(2)} %`;
  if (value >= 10) return `${trim(value.toFixed(1))} %`;
  return `${trim(value.toPrecision(value >= 1 ? 3 : 2))} %`;
}

/** Whether the log tells a value. */
export function known(value) {
  return value !== undefined && value !== null;
}

/** "12.50" -> "12.5", "3.0" -> "3"; the zeros of an exponent stay. */
function trim(digits) {
  return digits.includes(".") && !digits.includes("e") ? digits.replace(/0+$/, "").replace(/\.$/, "") : digits;
}

/** A number with about three digits: "2.31", "24.1", "812"; one that is not 0 never reads as 0. @param {number} n At least 0. */
export function short(n) {
  if (n > 0 && n < 0.005) return String(Number(n.toPrecision(1)));
  if (n >= 100) return String(Math.round(n));
  return trim(n.toFixed(n >= 10 ? 1 : 2));
}

/**
 * How many times as likely as the most likely one: two digits. What would round to 1 or to 0 is said as a bound, as in `percent`.
 * @param {number} n At most 1, and above 0 unless that is by rounding.
 */
export function multiple(n) {
  if (n === 1) return "1";
  if (n < 0.001) return "< 0.001";
  return n > 0.99 ? "> 0.99" : trim(n.toPrecision(2));
}

/** A log probability: three decimals, or two digits where all of these would be 0. @param {number} n At most 0. */
export function logText(n) {
  const size = -n;
  const text = size > 0 && size < 0.0005 ? trim(size.toPrecision(2)) : size.toFixed(3);
  return n < 0 ? `−${text}` : text;
}

/**
 * A duration in the unit that reads best.
 * @param {number} ms
 * @returns {{key: "ms"|"s", n: string}} The wording's key and its number.
 */
export function duration(ms) {
  if (Math.round(ms) < 1000) return { key: "ms", n: ms < 10 ? trim(ms.toFixed(1)) : String(Math.round(ms)) };
  return { key: "s", n: trim((ms / 1000).toFixed(ms < 10000 ? 2 : 1)) };
}

// Control characters, and marks that would turn the direction of the tokens around them.
const UNSEEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** What cannot be seen, or turns the text around it, as its code. @param {string} text */
export function withCodes(text) {
  return text.replaceAll(UNSEEN, (mark) => `<U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`);
}

/**
 * A line break as ↵ and the break itself, so that a reader sees the token that made it; what cannot be seen as its code.
 * @param {string} text
 */
export function withMarks(text) {
  return withCodes(text).replaceAll("\r", "␍").replaceAll("\n", "↵\n").replaceAll("\t", "⇥\t");
}

/**
 * A token's piece for a popover or a label, where it stands alone: spaces and breaks become visible.
 * @param {string} piece As stored in the vocabulary.
 * @param {string} [text] What the token wrote, if that is known; it is preferred, because it needs no decoding.
 * @param {string} [vocabulary] Of run_start.
 */
export function visible(piece, text, vocabulary) {
  const shown = text ? text : textOfPiece(piece, vocabulary);
  return withCodes(shown).replaceAll(" ", "␣").replaceAll("\n", "↵").replaceAll("\t", "⇥").replaceAll("\r", "␍");
}

// Above the first bound a token counts as near-certain and stays plain. The others are steps of doubt, 1 to 6.
const DOUBT_BOUNDS = [0.95, 0.8, 0.6, 0.4, 0.2, 0.05];

/**
 * How much doubt there was: 0 (near-certain) to 6 (below 5 %); null where p is not known.
 * @param {number|null|undefined} p
 */
export function doubt(p) {
  if (p === null || p === undefined) return null;
  const level = DOUBT_BOUNDS.findIndex((bound) => p >= bound);
  return level === -1 ? DOUBT_BOUNDS.length : level;
}

// JavaScript's own numbers hold about 16 digits, but an argument of a call must stand on the page as the model wrote it: there
// larger whole numbers become BigInt. Elsewhere they stay numbers, which can be reckoned with.
const MANY_DIGITS = /(?<![\d.])\d{16}/; // Probabilities have as many digits, behind a point.
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
// Puts a number into a string on its way, and out of it again. No text can hold it by design, because nobody can guess it.
const MARK = `whole ${Math.random()} `;
const MARKED = new RegExp(`"${MARK.replace(".", "\\.")}(-?\\d+)"`, "g");

function isLarge(literal) {
  return /^-?\d+$/.test(literal) && !Number.isSafeInteger(Number(literal));
}

/** The value with `read` of each number that was marked in it, in place. */
function unmarked(value, read) {
  if (typeof value === "string") return value.startsWith(MARK) ? read(value.slice(MARK.length)) : value;
  if (value !== null && typeof value === "object") for (const key of Object.keys(value)) value[key] = unmarked(value[key], read);
  return value;
}

/** As JSON.parse, but with BigInt for large whole numbers below a key "arguments". @param {string} text */
export function parseJson(text) {
  if (!MANY_DIGITS.test(text)) return JSON.parse(text);
  const marked = text.replaceAll(STRING_OR_NUMBER, (found) => (isLarge(found) ? `"${MARK}${found}"` : found));
  const revive = (key, value) => (key === "arguments" ? unmarked(value, BigInt) : value);
  return unmarked(JSON.parse(marked, revive), Number);
}

/** As JSON.stringify. @param {unknown} value */
export function jsonText(value) {
  const marked = JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `${MARK}${each}` : each));
  return marked.replaceAll(MARKED, "$1");
}
