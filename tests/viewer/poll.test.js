import assert from "node:assert/strict";
import test from "node:test";

import { follow, Gone, insist, PAGE, POLL_MS, retryAfter } from "../../app/viewer/poll.js";
import { newRun, take } from "../../app/viewer/state.js";
import { numbered, smallRun, token } from "./fixtures.js";

/** A server that answers from a script; time passes only while somebody waits for it. */
function scripted(answers) {
  const run = newRun("r");
  const record = { run, waits: [], said: [], asked: [] };
  let clock = 0;
  const controller = new AbortController();
  record.abort = () => controller.abort();
  record.done = follow({
    read: async () => {
      record.asked.push(run.nextSeq - 1);
      clock += 7;
      await null;
      const answer = answers.shift();
      if (answer === undefined) {
        controller.abort();
        return { events: [], ended: false };
      }
      if (answer instanceof Error) throw answer;
      return typeof answer === "function" ? answer(run.nextSeq) : answer;
    },
    take: (events) => ({ ...take(run, events), ended: run.end !== null }),
    say: (connection) => record.said.push(connection),
    wait: async (ms) => {
      record.waits.push(ms);
      clock += ms;
    },
    now: () => clock,
    signal: controller.signal,
  });
  return record;
}

test("asks every 100 ms for what comes after the last event, and ends at run_end", async () => {
  const events = smallRun();
  const server = scripted([
    { events: events.slice(0, 4), ended: false }, { events: [], ended: false }, { events: events.slice(4), ended: true },
  ]);
  await server.done;
  assert.deepEqual(server.asked, [-1, 3, 3]);
  assert.deepEqual(server.waits, [POLL_MS - 7, POLL_MS - 7]);
  assert.deepEqual(server.said, []);
});

test("does not wait while pages come back full", async () => {
  const many = numbered(Array.from({ length: 2 * PAGE + 5 }, (_, i) => token(1, i, "x")));
  const server = scripted([0, 1, 2].map((page) => ({ events: many.slice(page * PAGE, (page + 1) * PAGE), ended: false })));
  await server.done;
  assert.deepEqual(server.asked.slice(0, 3), [-1, PAGE - 1, 2 * PAGE - 1]);
  assert.equal(server.waits.length, 1);
  assert.equal(server.run.nTokens, 2 * PAGE + 5);
});

test("errors: says so, waits longer each time, recovers without a duplicate", async () => {
  const events = smallRun();
  const offline = () => new TypeError("failed to fetch");
  const server = scripted([
    { events: events.slice(0, 6), ended: false }, offline(), offline(), offline(), { events: events.slice(3), ended: true },
  ]);
  await server.done;
  assert.deepEqual(server.said, [
    { kind: "lost", failures: 1, ms: 250 }, { kind: "lost", failures: 2, ms: 500 }, { kind: "lost", failures: 3, ms: 1000 },
    { kind: "ok" },
  ]);
  assert.deepEqual(server.waits.slice(1), [250, 500, 1000]);
  assert.equal(server.run.nTokens, 6);
});

test("the pause after failures is bounded", () => {
  assert.equal(retryAfter(1), 250);
  assert.equal(retryAfter(40), 5000);
});

test("a page that must be had is asked for until the server answers; 404 and the end are answers", async () => {
  const tried = (answers, signal) => {
    const waits = [];
    const read = async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    };
    return { waits, page: insist(-1, { read, wait: async (ms) => waits.push(ms), signal }) };
  };
  const { signal } = new AbortController();
  const found = tried([new TypeError("offline"), new Error("the server answered 500"), { events: [], ended: true }], signal);
  assert.deepEqual(await found.page, { events: [], ended: true });
  assert.deepEqual(found.waits, [250, 500]);
  await assert.rejects(tried([new TypeError("offline"), new Gone("r")], signal).page, Gone);
  assert.equal(await tried([{ events: [], ended: true }], AbortSignal.abort()).page, null);
});

test("404 ends it", async () => {
  const server = scripted([{ events: smallRun().slice(0, 4), ended: false }, new Gone("r"), { events: [], ended: false }]);
  await server.done;
  assert.deepEqual(server.said, [{ kind: "gone" }]);
  assert.equal(server.asked.length, 2);
});

test("a gap is fetched again at once, but a gap that stays does not make it spin", async () => {
  const events = smallRun();
  const server = scripted([
    { events: events.slice(0, 3), ended: false }, { events: events.slice(4, 6), ended: false },
    { events: events.slice(4, 6), ended: false }, { events: events.slice(3), ended: true },
  ]);
  await server.done;
  assert.deepEqual(server.asked, [-1, 2, 2, 2]);
  assert.equal(server.waits.length, 2);
  assert.equal(server.run.end.final, "2");
});

test("a record that breaks off is told, not waited for", async () => {
  const server = scripted([{ events: smallRun().slice(0, 5), ended: true }]);
  await server.done;
  assert.deepEqual(server.said, [{ kind: "cut" }]);
});

test("nothing is taken in after the end was asked for", async () => {
  const events = smallRun();
  let abort = () => {};
  const server = scripted([() => {
    abort();
    return { events, ended: true };
  }]);
  abort = server.abort;
  await server.done;
  assert.equal(server.run.nextSeq, 0);
});
