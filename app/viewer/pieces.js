// The prompt as text, token by token, put together from what the log has of it. Pure.
//
// A context event holds only what is new: what stands before it is the last step's prompt and output, unchanged. So the whole
// prompt of a step is built from the steps before it, and only when somebody unfolds it.

import { countCharacters, firstCharacters, indexer } from "./codepoints.js";

/**
 * @typedef {object} Piece One token of a prompt.
 * @property {number} id
 * @property {number} from Index into the text, in UTF-16 units.
 * @property {number} to
 * @property {boolean} special Whether it is a control token.
 */

/**
 * The tokens of a context's new part, with where they stand in its text.
 * @param {object} context
 * @returns {Piece[]|null} Null where the tokenizer gave no offsets.
 */
export function piecesOf(context) {
  if (!context.ends || context.ends.length !== context.ids.length) return null;
  const at = indexer(context.text);
  const special = new Set(context.special ?? []);
  let from = 0;
  return context.ids.map((id, i) => {
    const to = Math.max(from, at(context.ends[i]));
    const piece = { id, from, to, special: special.has(i) };
    from = to;
    return piece;
  });
}

/** What a token stands for in a context's text, without the marks that are drawn. @param {object} context @param {Piece} piece */
export function textOf(context, piece) {
  return context.text.slice(piece.from, piece.to);
}

/**
 * Where the control tokens stand in a text.
 * @param {object} context
 * @param {Piece[]|null} pieces Of the same context; where there are none, known control tokens are searched for by name.
 * @param {string[]} names The family's control tokens.
 * @returns {{from: number, to: number}[]} In order, without overlap.
 */
export function controlsOf(context, pieces, names) {
  if (pieces) return pieces.filter((piece) => piece.special && piece.to > piece.from).map(({ from, to }) => ({ from, to }));
  return controlsByName(context.text, names);
}

/** The same for a text of which only the control tokens' names are known. */
export function controlsByName(text, names) {
  if (names.length === 0) return [];
  const longestFirst = [...names].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "g");
  return [...text.matchAll(pattern)].map((match) => ({ from: match.index, to: match.index + match[0].length }));
}

/** What the model wrote in a step, as the next prompt may repeat it. @param {import("./state.js").Step} step */
export function rawOf(step) {
  return step.modelEnd?.raw ?? step.tokens.map((token) => token.text).join("");
}

/**
 * The part of a step's prompt that stood in the step before: its first `added_from` characters.
 * @param {import("./state.js").Step[]} steps
 * @param {number} index Of the step.
 * @returns {string|null} Null where the log does not hold it, because it begins in an earlier run.
 */
export function earlierText(steps, index) {
  let text = "";
  for (let i = 0; i <= index; i += 1) {
    const context = steps[i].context;
    if (!context) return null;
    if (context.added_from > countCharacters(text)) return null;
    const before = firstCharacters(text, context.added_from);
    if (i === index) return before;
    text = before + context.text + rawOf(steps[i]);
  }
  return text;
}
