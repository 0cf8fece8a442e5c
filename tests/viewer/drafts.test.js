import assert from "node:assert/strict";
import test from "node:test";

import { passesSaved, Rounds, written } from "../../app/viewer/drafts.js";
import { token } from "./fixtures.js";

function roundsOf(tokens) {
  const rounds = new Rounds();
  rounds.take(tokens);
  return rounds.list;
}

function draft(piece, accepted, place, dropped = []) {
  return { draft: { piece, accepted, place, dropped } };
}

test("a draft that holds whole, and the token that comes with it", () => {
  const tokens = [
    token(1, 0, "a"), token(1, 1, "b", draft("b", true, 0)), token(1, 2, "c", draft("c", true, 1)), token(1, 3, "d"),
  ];
  assert.deepEqual(roundsOf(tokens), [{
    guesses: [{ piece: "b", state: "held", index: 1 }, { piece: "c", state: "held", index: 2 }], own: 3,
  }]);
});

test("a guess that falls is replaced, and those behind it are dropped", () => {
  const tokens = [token(1, 0, "a", draft("a", true, 0)), token(1, 1, "b", draft("x", false, 1, ["y", "z"])), token(1, 2, "c")];
  assert.deepEqual(roundsOf(tokens), [{
    guesses: [
      { piece: "a", state: "held", index: 0 }, { piece: "x", state: "fell", index: 1 },
      { piece: "y", state: "dropped", index: null }, { piece: "z", state: "dropped", index: null },
    ],
    own: 1,
  }]);
});

test("one draft behind another, and a turn that ends in the middle of one", () => {
  const tokens = [
    token(1, 0, "a", draft("x", false, 0)), token(1, 1, "b", draft("b", true, 0)), token(1, 2, "c", draft("c", true, 1)),
  ];
  assert.deepEqual(roundsOf(tokens).map((round) => [round.guesses.length, round.own]), [[1, 0], [2, null]]);
  assert.deepEqual(roundsOf([token(1, 0, "a")]), []);
});

test("a guess that ends the turn drops those behind it", () => {
  const tokens = [token(1, 0, "a"), token(1, 1, "b", draft("b", true, 0)), token(1, 2, "end", draft("end", true, 1, ["x", "y"]))];
  assert.deepEqual(roundsOf(tokens), [{
    guesses: [
      { piece: "b", state: "held", index: 1 }, { piece: "end", state: "held", index: 2 },
      { piece: "x", state: "dropped", index: null }, { piece: "y", state: "dropped", index: null },
    ],
    own: null,
  }]);
});

test("rounds come with their tokens", () => {
  const tokens = [
    token(1, 0, "a"), token(1, 1, "b", draft("b", true, 0)), token(1, 2, "c", draft("c", true, 1)), token(1, 3, "d"),
    token(1, 4, "e", draft("x", false, 0, ["y"])), token(1, 5, "f"),
  ];
  const rounds = new Rounds();
  const chips = tokens.map((_, i) => {
    rounds.take(tokens, i + 1);
    return rounds.list.map(({ guesses, own }) => guesses.length + (own === null ? 0 : 1));
  });
  assert.deepEqual(chips, [[], [1], [2], [3], [3, 3], [3, 3]]);
  assert.deepEqual(rounds.list, roundsOf(tokens));
  assert.deepEqual(rounds.list.map(written), [3, 1]);
});

test("the passes that were saved, or spent", () => {
  assert.equal(passesSaved({ n_tokens: 10, mtp: { forwards: 4 } }), 5);
  assert.equal(passesSaved({ n_tokens: 10, mtp: { forwards: 12 } }), -3);
  assert.equal(passesSaved({ n_tokens: 0, mtp: { forwards: 0 } }), 0);
  assert.equal(passesSaved({ n_tokens: 10, mtp: { forwards: null } }), null);
});
