import assert from "node:assert/strict";
import test from "node:test";

import { activeSettings, candidates, equallyLikely, happened, isUpset } from "../../app/viewer/odds.js";

/** Seeded numbers in [0, 1) (mulberry32), so that a failure can be repeated. */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function softmax(logits) {
  const top = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp(logit - top));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

const six = (value) => Number(value.toPrecision(6)); // As the log rounds probabilities.

/**
 * What each setting does to a whole vocabulary, as samplers do it: divide by T in float32, keep what is not below the k-th, then
 * cut what has at most 1 - top_p together with all that is less likely, then softmax over the rest.
 * @returns {{order: number[], cutBy: Map<number, string>, after: Map<number, number>}} `order` is the most likely first.
 */
function drawnFrom(logits, { temperature, top_k: topK, top_p: topP }) {
  const order = logits.map((_, i) => i).sort((a, b) => logits[b] - logits[a] || a - b);
  const scores = logits.map((logit) => Math.fround(logit / Math.fround(temperature)));
  const lowest = topK > 0 ? scores[order[topK - 1]] : -Infinity;
  const inK = order.filter((i) => scores[i] >= lowest);
  const p = softmax(inK.map((i) => logits[i] / temperature));
  let left = 0;
  const inP = new Set(topP < 1 ? [] : inK);
  for (let place = inK.length - 1; place >= 0 && topP < 1; place -= 1) {
    left += p[place];
    if (left > 1 - topP || place === 0) inP.add(inK[place]);
  }
  const kept = inK.filter((i) => inP.has(i));
  const drawn = softmax(kept.map((i) => logits[i] / temperature));
  const cutBy = new Map(order.slice(0, 5).map((i) => [i, inP.has(i) ? null : inK.includes(i) ? "top_p" : "top_k"]));
  return { order, cutBy, after: new Map(kept.map((i, place) => [i, drawn[place]])) };
}

/** Float32 logits of a vocabulary; in some rounds many are equal, or as near to each other as float32 allows. */
function vocabulary(next, round) {
  const spread = 0.3 + next() * 3;
  const logits = Array.from({ length: 3000 }, () => Math.fround(10 - Math.log(1 - next()) * spread));
  if (round % 3 === 0) return logits.map((logit) => Math.round(logit * 2) / 2);
  if (round % 3 === 1) return logits;
  const top = Math.max(...logits);
  for (let i = 0; i < 8; i += 1) logits[Math.floor(next() * logits.length)] = Math.fround(top * (1 + (i >> 1) * 2 ** -23));
  return logits;
}

/** The token that comes at a place of the order, as the log has it. */
function logged(logits, { order, cutBy, after }, place) {
  const own = softmax(logits);
  const id = order[place];
  const rank = 1 + logits.filter((logit) => logit > logits[id]).length;
  const top = order.slice(0, 5).map((i) => [i, "y", six(own[i]), cutBy.get(i) === null ? 1 : 0]);
  return { id, piece: "x", p: six(own[id]), p_sampled: six(after.get(id)), rank, kept: after.size, top };
}

const ROUNDS = 420;

/** Calls `check` with each candidate of many random vocabularies and settings, beside what happened to it in truth. */
function everyCandidate(check) {
  const next = random(20240607);
  for (let round = 0; round < ROUNDS; round += 1) {
    const settings = {
      temperature: [0.05, 0.3, 0.7, 1, 1.3, 2][Math.floor(next() * 6)], top_k: [0, 1, 2, 3, 4, 20][Math.floor(next() * 6)],
      top_p: [1, 0.9, 0.5, 0.2][Math.floor(next() * 4)],
    };
    const logits = vocabulary(next, round);
    const truth = drawnFrom(logits, settings);
    const token = logged(logits, truth, Math.floor(next() * truth.after.size));
    for (const row of candidates(token, settings)) check(row, { settings, logits, truth, what: `round ${round}, id ${row.id}` });
  }
}

/** Six digits are off by 5e-6 at most; a power 1/T multiplies that. */
function near(found, expected, error, what) {
  assert.ok(Math.abs(found - expected) <= error * expected + 1e-300, `${what}: ${found} is not ${expected}`);
}

test("the probability with which each candidate was drawn equals softmax over the kept logits", () => {
  let compared = 0;
  everyCandidate((row, { settings: { temperature }, truth, what }) => {
    near(row.after, truth.after.get(row.id) ?? 0, 1.1e-5 / temperature + 5e-6, what);
    compared += 1;
  });
  assert.ok(compared >= 5 * ROUNDS);
});

test("what the temperature alone makes of each candidate equals the exponential of its logit's distance to the largest", () => {
  let compared = 0;
  everyCandidate((row, { settings, logits, what }) => {
    const { temperature, top_k: topK, top_p: topP } = settings;
    if (temperature === 1 || (topK === 0 && topP === 1)) return assert.equal(row.weight, null, what);
    const largest = logits.reduce((one, other) => Math.max(one, other));
    near(row.weight, Math.exp((logits[row.id] - largest) / temperature), 1.1e-5 / temperature, what);
    compared += 1;
  });
  assert.ok(compared >= 2 * ROUNDS);
});

test("the setting that cut a candidate is the one that did, or none is named where two are as good as equal", () => {
  const counts = { top_k: 0, top_p: 0, unnamed: 0 };
  everyCandidate((row, { settings, logits, truth, what }) => {
    if (row.kept) return assert.equal(row.cutBy, null, what);
    const { top_k: topK, top_p: topP } = settings;
    if (row.cutBy === null) {
      const distance = logits[truth.order[topK - 1]] - logits[row.id];
      assert.ok(topK > 0 && topP < 1 && distance < 2e-3, `${what} is not named, at a distance of ${distance}`);
    } else assert.equal(row.cutBy, truth.cutBy.get(row.id), what);
    counts[row.cutBy ?? "unnamed"] += 1;
  });
  assert.ok(Math.min(...Object.values(counts)) >= 20, JSON.stringify(counts));
});

test("what float32 makes equal to the k-th is not said to be cut by top-k", () => {
  // Two neighbours in float32 that are the same number once they are divided by 1.3.
  const step = 2 ** -17;
  const score = (value) => Math.fround(value / Math.fround(1.3));
  const high = Array.from({ length: 64 }, (_, i) => 120 + i * step).find((value) => score(value) === score(value - step));
  const logits = [high, high - step, ...Array.from({ length: 3000 }, (_, i) => 100 + i / 1000)];
  const settings = { temperature: 1.3, top_k: 1, top_p: 0.4 };
  const truth = drawnFrom(logits, settings);
  assert.equal(truth.cutBy.get(1), "top_p");
  const rows = candidates(logged(logits, truth, 0), settings);
  assert.ok(rows[0].p > rows[1].p, "the log tells the two apart");
  assert.deepEqual(rows.map((row) => row.cutBy), [null, null, "top_k", "top_k", "top_k"]);
});

const TOKEN = {
  id: 7, piece: "c", p: 0.1, p_sampled: 0.2, rank: 6, kept: 9,
  top: [[1, "a", 0.3, 1], [2, "b", 0.2, 1], [3, "c", 0.15, 1], [4, "d", 0.12, 1], [5, "e", 0.11, 0]],
};

test("a chosen token that is not among the top ones is added as a row", () => {
  const rows = candidates(TOKEN, { temperature: 1, top_k: 0, top_p: 0.9 });
  assert.equal(rows.length, 6);
  assert.deepEqual(rows.map((row) => row.chosen), [false, false, false, false, false, true]);
  assert.equal(rows[5].after, 0.2);
  assert.equal(rows[4].after, 0);
});

test("at temperature 0 the chosen one has all", () => {
  const token = { ...TOKEN, id: 1, p: 0.3, p_sampled: 1, rank: 1, kept: 1, top: [[1, "a", 0.3, 1], [2, "b", 0.3, 0]] };
  const rows = candidates(token, { temperature: 0, top_k: 1, top_p: 0.5 });
  assert.deepEqual(rows.map((row) => [row.after, row.cutBy, row.weight]), [[1, null, null], [0, "temperature", null]]);
});

test("what is not known stays unknown", () => {
  const { p_sampled: _, ...token } = TOKEN;
  const settings = { temperature: 0.7, top_k: 0, top_p: 1 };
  assert.deepEqual(candidates(token, settings).map((row) => row.after), [null, null, null, null, 0, null]);
  assert.deepEqual(candidates({ id: 1, piece: "a" }, settings), []);
  assert.equal(candidates({ ...TOKEN, p: 0 }, settings)[0].after, null);
  const said = (more, each = {}) => {
    const { weight, cutBy } = candidates({ ...TOKEN, ...each }, { ...settings, ...more })[4];
    return [weight, cutBy];
  };
  assert.deepEqual(candidates(TOKEN, {}).map((row) => [row.weight, row.cutBy]), Array(6).fill([null, null]));
  assert.deepEqual(said({}), [null, null], "nothing cuts, and yet it was cut");
  assert.deepEqual(said({ top_k: 5 }).at(1), null);
  assert.deepEqual(said({ top_k: 4 }).at(1), "top_k");
  const impossible = { top: [...TOKEN.top.slice(0, 4), [5, "e", 0, 0]] };
  assert.deepEqual(said({ top_k: 2, top_p: 0.9 }, impossible), [null, null]);
});

test("below the temperature for which six digits suffice no power of them is written", () => {
  const rows = candidates({ ...TOKEN, id: 1, p: 0.3, p_sampled: 0.9 }, { temperature: 0.01, top_k: 4, top_p: 1 });
  assert.deepEqual(rows.map((row) => row.weight), Array(5).fill(null));
  assert.deepEqual(rows.map((row) => row.after), [0.9, null, null, null, 0]);
});

test("which sentence says what happened", () => {
  const warm = { temperature: 0.7, top_k: 0, top_p: 1 };
  assert.equal(happened(TOKEN, warm), "rank");
  assert.equal(happened({ ...TOKEN, rank: 1 }, warm), "top");
  assert.equal(happened({ id: 1, rank: 1 }, warm), "top_plain");
  assert.equal(happened({ id: 1, rank: 2 }, warm), "rank_plain");
  assert.equal(happened({ id: 1 }, warm), "unknown");
});

test("where one candidate alone was left, the setting is named that another one would need", () => {
  const only = (settings) => happened({ ...TOKEN, rank: 1, kept: 1 }, settings);
  assert.equal(only({ temperature: 0, top_k: 1, top_p: 0.5 }), "greedy");
  assert.equal(only({ temperature: 1.5, top_k: 1, top_p: 1 }), "only_top_k");
  assert.equal(only({ temperature: 1.5, top_k: 1, top_p: 0.5 }), "only_top_k", "top-p has nothing left to cut");
  assert.equal(only({ temperature: 0.7, top_k: 0, top_p: 0.5 }), "only_top_p");
  assert.equal(only({ temperature: 0.7, top_k: 20, top_p: 0.5 }), "only_top_p");
  assert.equal(only({ temperature: 0.01, top_k: 20, top_p: 1 }), "only");
  assert.equal(only({}), "only");
});

test("an upset is a token that was not the first choice; one of several equals is none", () => {
  assert.equal(isUpset({ id: 1, rank: 2 }), true);
  assert.equal(isUpset({ id: 1, rank: 1, top: [[2, "b", 0.5, 1], [1, "a", 0.5, 1]] }), false);
  assert.equal(isUpset({ id: 1, top: [[2, "b", 0.5, 1]] }), true);
  assert.equal(isUpset({ id: 1 }), false);
});

test("entropy as equally likely choices", () => {
  assert.equal(equallyLikely(0), 1);
  assert.equal(equallyLikely(3), 8);
});

test("only settings that change the odds are named", () => {
  assert.deepEqual(activeSettings({ temperature: 1, top_k: 0, top_p: 1 }), []);
  const all = activeSettings({ temperature: 0.7, top_k: 20, top_p: 0.9 });
  assert.deepEqual(all.map(({ n }) => n), [0.7, 20, 0.9]);
  assert.deepEqual(activeSettings(undefined), []);
});
