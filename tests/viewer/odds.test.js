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

/** The distribution that is drawn from, computed from logits as samplers do: divide by T, keep k, keep p, softmax again. */
function drawnFrom(logits, { temperature, topK, topP }) {
  const order = logits.map((_, i) => i).sort((a, b) => logits[b] - logits[a] || a - b);
  let kept = topK > 0 ? order.slice(0, topK) : order;
  const scaled = softmax(kept.map((i) => logits[i] / temperature));
  let sum = 0;
  const count = scaled.findIndex((p) => (sum += p) >= topP) + 1 || kept.length;
  kept = kept.slice(0, count);
  const p = softmax(kept.map((i) => logits[i] / temperature));
  return new Map(kept.map((i, place) => [i, p[place]]));
}

test("what the settings did to each candidate equals softmax over the kept logits", () => {
  const next = random(20240607);
  let compared = 0;
  for (let round = 0; round < 500; round += 1) {
    const logits = Array.from({ length: 40 }, () => next() * 12);
    const settings = { temperature: 0.2 + next() * 1.6, topK: [0, 3, 20][round % 3], topP: [1, 0.9, 0.5][round % 7 % 3] };
    const own = softmax(logits);
    const drawn = drawnFrom(logits, settings);
    const ids = [...drawn.keys()];
    const chosen = ids[Math.floor(next() * ids.length)];
    const order = own.map((_, i) => i).sort((a, b) => own[b] - own[a] || a - b);
    const token = {
      id: chosen, piece: "x", p: own[chosen], p_sampled: drawn.get(chosen), rank: order.indexOf(chosen) + 1, kept: drawn.size,
      top: order.slice(0, 5).map((i) => [i, "y", own[i], drawn.has(i) ? 1 : 0]),
    };
    for (const row of candidates(token, settings.temperature)) {
      const expected = drawn.get(row.id) ?? 0;
      assert.ok(Math.abs(row.after - expected) < 1e-9, `round ${round}, id ${row.id}: ${row.after} is not ${expected}`);
      compared += 1;
    }
  }
  assert.ok(compared >= 2500);
});

const TOKEN = {
  id: 7, piece: "c", p: 0.1, p_sampled: 0.2, rank: 6, kept: 9,
  top: [[1, "a", 0.3, 1], [2, "b", 0.2, 1], [3, "c", 0.15, 1], [4, "d", 0.12, 1], [5, "e", 0.11, 0]],
};

test("a chosen token that is not among the top ones is added as a row", () => {
  const rows = candidates(TOKEN, 1);
  assert.equal(rows.length, 6);
  assert.deepEqual(rows.map((row) => row.chosen), [false, false, false, false, false, true]);
  assert.equal(rows[5].after, 0.2);
  assert.equal(rows[4].after, 0);
});

test("at temperature 0 the chosen one has all", () => {
  const token = { ...TOKEN, id: 1, p: 0.3, p_sampled: 1, rank: 1, kept: 1, top: [[1, "a", 0.3, 1], [2, "b", 0.3, 0]] };
  assert.deepEqual(candidates(token, 0).map((row) => row.after), [1, 0]);
});

test("what is not known stays unknown", () => {
  const { p_sampled: _, ...token } = TOKEN;
  assert.deepEqual(candidates(token, 0.7).map((row) => row.after), [null, null, null, null, 0, null]);
  assert.deepEqual(candidates({ id: 1, piece: "a" }, 0.7), []);
  assert.equal(candidates({ ...TOKEN, p: 0 }, 0.7)[0].after, null);
});

test("which sentence says what happened", () => {
  assert.equal(happened(TOKEN, 0.7), "rank");
  assert.equal(happened({ ...TOKEN, rank: 1 }, 0.7), "top");
  assert.equal(happened({ ...TOKEN, rank: 1, kept: 1 }, 0.7), "only");
  assert.equal(happened({ ...TOKEN, rank: 1, kept: 1 }, 0), "greedy");
  assert.equal(happened({ id: 1, rank: 1 }, 0.7), "top_plain");
  assert.equal(happened({ id: 1, rank: 2 }, 0.7), "rank_plain");
  assert.equal(happened({ id: 1 }, 0.7), "unknown");
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
