// What the prompt ledger says of a step: whose each part of the prompt is, how many tokens are reused, new and read again, and
// what the prompt has changed of what the model had read. Pure; the events hold all of it (harness/ledger.py finds it).

import { indexer } from "./codepoints.js";

/**
 * @typedef {object} Part A run of equal origin.
 * @property {"system"|"tools"|"user"|"tool"|"model"|"harness"|"template"} by
 * @property {"new"|"again"|"rewritten"|"reused"} state
 * @property {number|null} n Tokens, where their ends are known.
 * @property {number} from Index into the context's text, in UTF-16 units.
 * @property {number} to
 */

/**
 * @typedef {object} Block What is drawn together: one author's text with the template's text around it.
 * @property {Part["by"]} by
 * @property {Part[]} parts
 */

/**
 * The parts of a context's new text.
 * @param {object} context
 * @returns {Part[]} Empty for a log that does not say.
 */
export function partsOf(context) {
  const at = indexer(context.text);
  let characters = 0;
  return (context.origins ?? []).map(([by, state, n, length]) => {
    const from = at(characters);
    characters += length;
    return { by, state, n, from, to: at(characters) };
  });
}

/**
 * How many tokens of a prompt are reused, new and read again.
 * @param {object} context
 * @returns {{reused: number, again: number, fresh: number}|null} In the order in which they stand; null where the log does not
 *   say.
 */
export function counts(context) {
  if (!context.origins || context.origins.some(([, , n]) => n === null)) return null;
  const sum = { reused: context.ids_from, again: 0, fresh: 0 };
  for (const [, state, n] of context.origins) sum[state === "reused" ? "reused" : state === "new" ? "fresh" : "again"] += n;
  return sum;
}

/** Whether anything of a prompt is as the conversation had it before. @param {object} context */
export function anySame(context) {
  return context.added_from > 0 || context.ids_from > 0 || (context.origins ?? []).some(([, state]) => state === "reused");
}

/**
 * The parts that the model has read before and that need not be read again, and the others.
 * @param {object} context
 * @returns {{reused: Part[], rest: Part[], same: {any: boolean, n: number|null}}} `same` is whether anything of the whole
 *   prompt is as it was, and how many tokens; null where their ends are not known.
 */
export function split(context) {
  const parts = partsOf(context);
  const reused = parts.filter((part) => part.state === "reused");
  const known = reused.every((part) => part.n !== null);
  const n = known ? reused.reduce((sum, part) => sum + part.n, context.ids_from) : null;
  return { reused, rest: parts.slice(reused.length), same: { any: anySame(context), n } };
}

/**
 * Puts the template's text to the texts that it stands around: what ends a message goes with the message before, what begins one
 * with the message after.
 * @param {Part[]} parts
 * @param {string} text
 * @param {string[]} stops The tokens that end a turn.
 * @returns {Block[]}
 */
export function blocksOf(parts, text, stops) {
  const blocks = [];
  let opening = [];
  parts.forEach((part, i) => {
    const last = blocks.at(-1);
    if (part.by !== "template") {
      if (last?.by === part.by && opening.length === 0) last.parts.push(part);
      else blocks.push({ by: part.by, parts: [...opening, part] });
      opening = [];
      return;
    }
    const rest = parts.slice(i + 1).find((each) => each.by !== "template");
    if (rest && last && rest.by === last.by && !hasStop(text, part, stops)) {
      last.parts.push(...opening, part);
      opening = [];
      return;
    }
    const [ends, begins] = last && opening.length === 0 ? cut(part, text, stops) : [null, part];
    if (ends) last.parts.push(ends);
    if (begins) opening.push(begins);
  });
  if (opening.length > 0) blocks.push({ by: "template", parts: opening });
  return blocks;
}

function hasStop(text, part, stops) {
  const body = text.slice(part.from, part.to);
  return stops.some((stop) => body.includes(stop));
}

/** A part in two: up to its first stop token with the white space after it, and from there on; null for what is empty. */
function cut(part, text, stops) {
  const body = text.slice(part.from, part.to);
  const ends = stops.map((stop) => [body.indexOf(stop), stop.length]).filter(([at]) => at >= 0).map(([at, n]) => at + n);
  if (ends.length === 0) return body.trim() === "" ? [part, null] : [null, part];
  const first = Math.min(...ends);
  const at = part.from + first + /^\s*/.exec(body.slice(first))[0].length;
  const whole = at === part.to;
  return [{ ...part, to: at, n: whole ? part.n : null }, whole ? null : { ...part, n: null, from: at }];
}

/** How many tokens a block has of its author's, where that is known, and how they came. @param {Block} block */
export function blockState(block) {
  const own = block.parts.filter((part) => part.by === block.by);
  const known = own.every((part) => part.n !== null);
  const states = new Set(own.map((part) => part.state));
  return {
    n: known ? own.reduce((sum, part) => sum + part.n, 0) : null,
    state: states.has("rewritten") ? "rewritten" : states.has("again") ? "again" : states.has("reused") ? "reused" : "new",
  };
}

/**
 * What a departure changed, as keys and values of the wording.
 * @param {object|null|undefined} departs Of a context event.
 * @returns {{key: string, values: {was: number|null, now: number|null, n: number}}[]}
 */
export function changesOf(departs) {
  return (departs?.changes ?? []).map(([kind, was, now, n]) => {
    const known = was !== null && now !== null;
    const dropped = kind === "thinking" && now === 0 && was > 0;
    return { key: `changed_${dropped ? "thinking_dropped" : kind}${known ? "" : "_unknown"}`, values: { was, now, n } };
  });
}
