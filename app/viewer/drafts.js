// What became of the guesses of a turn: its rounds, each one forward pass over the last token and what was guessed behind it.
// Pure; the tokens' events hold all of it.

/**
 * @typedef {object} Round
 * @property {{piece: string, state: "held"|"fell"|"dropped", index: number|null}[]} guesses Index of the token that stands in the
 *   guess's place; null for what was dropped, which no token answers.
 * @property {number|null} own Index of the token that the model put in itself: in the place of the guess that fell, or behind a
 *   draft that held whole; null where the turn ended with the draft.
 */

/** The rounds with guesses of one turn, in their order, as its tokens come. Only the last one can still grow. */
export class Rounds {
  constructor() {
    /** @type {Round[]} */
    this.list = [];
    this.taken = 0;
    this.open = null;
  }

  /**
   * Takes in the tokens that it has not seen; each is looked at once.
   * @param {object[]} tokens Token events of the turn, from its first on.
   * @param {number} [upTo] How many of them count.
   */
  take(tokens, upTo = tokens.length) {
    for (; this.taken < upTo; this.taken += 1) this.add(tokens[this.taken].draft, this.taken);
  }

  add(draft, index) {
    if (!draft) {
      if (this.open) this.open.own = index; // The pass that checked a draft gives one token more.
      this.open = null;
      return;
    }
    if (draft.place === 0 || !this.open) {
      this.open = { guesses: [], own: null };
      this.list.push(this.open);
    }
    this.open.guesses.push({ piece: draft.piece, state: draft.accepted ? "held" : "fell", index });
    this.open.guesses.push(...(draft.dropped ?? []).map((piece) => ({ piece, state: "dropped", index: null })));
    if (draft.accepted) return; // The next guess follows, or the turn was over with this one and the rest dropped.
    this.open.own = index;
    this.open = null;
  }
}

/** How many tokens a round wrote. @param {Round} round */
export function written(round) {
  const held = round.guesses.filter((guess) => guess.state === "held").length;
  return held + (round.own === null ? 0 : 1);
}

/**
 * The forward passes that the guesses saved: without them, as many would have been needed as the turn has tokens beyond its
 * first, which comes with the prompt. Below 0 where guesses cost more than they saved.
 * @param {object} modelEnd
 * @returns {number|null} Null where the passes were not counted.
 */
export function passesSaved(modelEnd) {
  const { forwards } = modelEnd.mtp;
  return forwards === null || forwards === undefined ? null : Math.max(0, modelEnd.n_tokens - 1) - forwards;
}
