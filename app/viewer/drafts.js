// What became of the guesses of a turn: its rounds, each one forward pass over the last token and what was guessed behind it.
// Pure; the tokens' events hold all of it.

/**
 * @typedef {object} Round
 * @property {{piece: string, state: "held"|"fell"|"dropped", index: number|null}[]} guesses Index of the token that stands in the
 *   guess's place; null for what was dropped, which no token answers.
 * @property {number|null} own Index of the token that the model put in itself: in the place of the guess that fell, or behind a
 *   draft that held whole; null where the turn ended with the draft.
 */

/**
 * The rounds with guesses, in their order.
 * @param {object[]} tokens Token events of one turn.
 * @returns {Round[]}
 */
export function roundsOf(tokens) {
  const rounds = [];
  let open = null;
  tokens.forEach((token, index) => {
    const { draft } = token;
    if (!draft) {
      if (open) open.own = index; // The pass that checked a draft gives one token more.
      open = null;
      return;
    }
    if (draft.place === 0 || !open) {
      open = { guesses: [], own: null };
      rounds.push(open);
    }
    open.guesses.push({ piece: draft.piece, state: draft.accepted ? "held" : "fell", index });
    if (draft.accepted) return;
    open.guesses.push(...(draft.dropped ?? []).map((piece) => ({ piece, state: "dropped", index: null })));
    open.own = index;
    open = null;
  });
  return rounds;
}

/**
 * The forward passes that the guesses saved: as many as the turn has tokens beyond its first, which comes with the prompt,
 * would have been needed.
 * @param {object} modelEnd
 * @returns {number|null} Null where the passes were not counted.
 */
export function passesSaved(modelEnd) {
  const { forwards } = modelEnd.mtp;
  return forwards === null || forwards === undefined ? null : Math.max(0, modelEnd.n_tokens - 1 - forwards);
}
