// Follows a run's events over HTTP by sequence number. Knows nothing about drawing; time and HTTP are handed in, so that tests
// run without either.

import { parseJson } from "./numbers.js";

export const POLL_MS = 100;
export const PAGE = 1000;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5000;
export const ANSWER_WITHIN_MS = 10000;

/** The server does not know the run. */
export class Gone extends Error {}

/** How long to wait after the n-th failure in a row. @param {number} failures From 1. @returns {number} Milliseconds. */
export function retryAfter(failures) {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
}

/**
 * Reads one page of events.
 * @param {string} url Base address of the server.
 * @param {string} run
 * @param {number} after The last seq that is known, -1 for none.
 * @param {AbortSignal} signal
 * @returns {Promise<{events: object[], ended: boolean, t?: number, unsaved?: string}>} `t` is how many seconds a run goes on
 *   that has not ended; `unsaved` says why its file could not be written.
 * @throws {Gone} Where the server answers 404. Any other Error: the server or the network failed.
 */
export async function readPage(url, run, after, signal) {
  const address = `${url}/api/runs/${encodeURIComponent(run)}/events?after=${after}&limit=${PAGE}`;
  const response = await fetch(address, {
    cache: "no-store", signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
  });
  if (response.status === 404) throw new Gone(run);
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return parseJson(await response.text());
}

/**
 * Reads one page, again and again until the server has answered.
 * @param {number} after As for readPage.
 * @param {object} seams
 * @param {(after: number) => Promise<{events: object[], ended: boolean}>} seams.read
 * @param {(ms: number) => Promise<void>} seams.wait
 * @param {AbortSignal} seams.signal
 * @returns {Promise<{events: object[], ended: boolean}|null>} Null where `signal` was aborted.
 * @throws {Gone}
 */
export async function insist(after, { read, wait, signal }) {
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      return await read(after);
    } catch (error) {
      if (error instanceof Gone) throw error;
      await wait(retryAfter(failures));
    }
  }
  return null;
}

/**
 * @typedef {object} Connection What there is to say about the line to the server.
 * @property {"ok"|"lost"|"gone"|"cut"} kind "cut": the record breaks off without a run_end.
 * @property {number} [failures] In a row, for "lost".
 * @property {number} [ms] Until the next try, for "lost".
 */

/**
 * Reads until the run has ended, the server does not know it, or `signal` is aborted.
 * @param {object} seams
 * @param {() => Promise<{events: object[], ended: boolean}>} seams.read Reads what comes after the last event taken.
 * @param {(events: object[]) => {gap: boolean, ended: boolean}} seams.take Hands events on.
 * @param {(connection: Connection) => void} seams.say
 * @param {(ms: number) => Promise<void>} seams.wait
 * @param {() => number} seams.now Milliseconds.
 * @param {AbortSignal} seams.signal
 */
export async function follow({ read, take, say, wait, now, signal }) {
  let failures = 0;
  let gaps = 0;
  while (!signal.aborted) {
    const began = now();
    let page;
    try {
      page = await read();
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Gone) return say({ kind: "gone" });
      failures += 1;
      say({ kind: "lost", failures, ms: retryAfter(failures) });
      await wait(retryAfter(failures));
      continue;
    }
    if (signal.aborted) return;
    if (failures > 0) say({ kind: "ok" });
    failures = 0;
    const { gap, ended } = take(page.events);
    if (ended) return;
    if (page.ended && !gap) return say({ kind: "cut" });
    gaps = gap ? gaps + 1 : 0;
    // A full page means that more is there already, and a gap that something is missing; a gap that stays is no reason to hurry.
    const hurry = gap ? gaps === 1 : page.events.length >= PAGE;
    if (!hurry) await wait(Math.max(0, POLL_MS - (now() - began)));
  }
}
