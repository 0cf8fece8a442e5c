// Which tokens wrote what was read from a turn, and where the model was least sure. Pure.

/** @typedef {[number, number][]} Spans Tokens [from, to) of a turn. */

/**
 * The tokens that wrote an argument's value; where its place is not certain, those of all arguments, or of the call.
 * @param {object} call Of a parsed event.
 * @param {string} name
 * @returns {Spans}
 */
export function spansOfArgument(call, name) {
  const own = call.value_spans && Object.hasOwn(call.value_spans, name) ? call.value_spans[name] : null;
  return [own ?? call.args_span ?? call.span];
}

/**
 * The token of a call's arguments to which the model gave the lowest probability.
 * @param {object[]} tokens Of the step.
 * @param {object} call Of a parsed event.
 * @returns {{index: number, p: number}|{why: "no_arguments"|"no_p"}} The first one among equals.
 */
export function leastSure(tokens, call) {
  if (!call.args_span) return { why: "no_arguments" };
  let least = null;
  for (let index = call.args_span[0]; index < call.args_span[1]; index += 1) {
    const p = tokens[index]?.p;
    if (typeof p === "number" && (least === null || p < least.p)) least = { index, p };
  }
  return least ?? { why: "no_p" };
}

/**
 * The text of a call's arguments as far as it is written.
 * @param {object[]} tokens Of the step.
 * @param {object} forming The last call_forming event.
 * @param {number} [from] The token to begin with; by default the arguments' first.
 * @returns {{text: string, to: number}} `to` is the token after the last one that was taken.
 */
export function argumentsSoFar(tokens, forming, from = forming.args_from) {
  if (from === null) return { text: "", to: 0 };
  let text = "";
  let to = from;
  while (to < tokens.length && tokens[to].channel === "tool_call") {
    text += tokens[to].text;
    to += 1;
  }
  return { text, to };
}
