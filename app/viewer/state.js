// From the event log to what there is to draw. Pure: knows nothing about HTTP, the DOM or wording.
//
// A run's state is built by feeding it each event once, in the order of `seq`; drawing reads it and never changes it. The
// events themselves are kept as they came, so that a popover can show every number that the log has.

/**
 * @typedef {object} Tool One call on its way through a tool.
 * @property {number} call Index in `parsed.tool_calls`.
 * @property {string} name
 * @property {object} start The tool_start event.
 * @property {object|null} result The tool_result event.
 */

/**
 * @typedef {object} Step One pass of the loop.
 * @property {number} n 1, 2, …
 * @property {object|null} context The context event.
 * @property {object|null} prefill
 * @property {object[]} tokens The token events, by their index.
 * @property {object|null} forming The last call_forming event.
 * @property {object|null} modelEnd
 * @property {object|null} parsed
 * @property {Tool[]} tools In the order in which they started.
 * @property {({tool: Tool}|{feedback: object})[]} answers What became of the calls, in the order of the log, in which a reload
 *   must show it, too.
 * @property {number} version Grows with every event of the step that is no token.
 */

/**
 * @typedef {object} Run
 * @property {string} id
 * @property {number} nextSeq The seq that the next event must have.
 * @property {object|null} start The run_start event.
 * @property {object|null} end The run_end event.
 * @property {boolean} cut Whether the record breaks off: what was going on then will never end.
 * @property {"connecting"|"waiting"|"preparing"|"reading"|"writing"|"parsing"|"tool"|"finished"} phase
 * @property {Step[]} steps
 * @property {number} t Seconds since the run began, of the last event.
 * @property {number} nTokens Tokens written so far.
 */

/** @param {string} id @returns {Run} */
export function newRun(id) {
  return { id, nextSeq: 0, start: null, end: null, cut: false, phase: "connecting", steps: [], t: 0, nTokens: 0 };
}

function newStep(n) {
  return {
    n, context: null, prefill: null, tokens: [], forming: null, modelEnd: null, parsed: null, tools: [], answers: [], version: 0,
  };
}

function stepOf(run, event) {
  const last = run.steps.at(-1);
  if (last?.n === event.step) return last;
  const known = run.steps.find((step) => step.n === event.step);
  if (known) return known;
  const step = newStep(event.step);
  run.steps.push(step);
  return step;
}

function addTool(step, tool) {
  step.tools.push(tool);
  step.answers.push({ tool });
}

const REDUCERS = {
  run_start(run, event) {
    run.start = event;
    run.phase = "waiting";
  },
  step_start(run, event) {
    stepOf(run, event);
    run.phase = "preparing";
  },
  context(run, event) {
    stepOf(run, event).context = event;
    run.phase = "reading";
  },
  prefill(run, event) {
    stepOf(run, event).prefill = event;
    run.phase = "writing";
  },
  token(run, event) {
    stepOf(run, event).tokens.push(event);
    run.nTokens += 1;
    run.phase = "writing";
  },
  call_forming(run, event) {
    stepOf(run, event).forming = event;
  },
  model_end(run, event) {
    stepOf(run, event).modelEnd = event;
    run.phase = "parsing";
  },
  parsed(run, event) {
    stepOf(run, event).parsed = event;
    run.phase = "parsing";
  },
  tool_start(run, event) {
    addTool(stepOf(run, event), { call: event.call, name: event.name, start: event, result: null });
    run.phase = "tool";
  },
  tool_result(run, event) {
    const step = stepOf(run, event);
    const { tools } = step;
    const tool = tools.findLast((each) => each.call === event.call && each.result === null);
    if (tool) tool.result = event;
    else addTool(step, { call: event.call, name: event.name, start: null, result: event });
    run.phase = tools.some((each) => each.result === null) ? "tool" : "preparing";
  },
  feedback(run, event) {
    stepOf(run, event).answers.push({ feedback: event });
    run.phase = "preparing";
  },
  run_end(run, event) {
    run.end = event;
    run.phase = "finished";
  },
};

/**
 * Takes in the next event. Kinds that it does not know count as seen and change nothing else.
 * @param {Run} run
 * @param {object} event Its seq must be `run.nextSeq`.
 */
export function reduce(run, event) {
  if (event.seq !== run.nextSeq) throw new Error(`event ${event.seq} came where ${run.nextSeq} was next`);
  run.nextSeq += 1;
  if (typeof event.t === "number") run.t = event.t;
  if (!Object.hasOwn(REDUCERS, event.kind)) return;
  REDUCERS[event.kind](run, event);
  if (event.kind !== "token" && event.step !== undefined) stepOf(run, event).version += 1;
}

/**
 * Takes in a page of events as a server gave it: skips what is known already and stops at a gap.
 * @param {Run} run
 * @param {object[]} events In the order of seq.
 * @returns {{fresh: number, gap: boolean}} How many were new, and whether events before one of these are still missing.
 */
export function take(run, events) {
  let fresh = 0;
  for (const event of events) {
    if (event.seq < run.nextSeq) continue;
    if (event.seq > run.nextSeq) return { fresh, gap: true };
    reduce(run, event);
    fresh += 1;
  }
  return { fresh, gap: false };
}

/** The tool that runs now, or null. @param {Run} run @returns {Tool|null} */
export function runningTool(run) {
  return run.steps.at(-1)?.tools.findLast((tool) => tool.result === null) ?? null;
}

/**
 * Tokens a second: of the turn being written while one is, else of all that were written together.
 * @param {Run} run
 * @returns {number|null} Null as long as there is nothing to measure.
 */
export function speed(run) {
  const step = run.steps.findLast((each) => each.tokens.length > 0);
  if (!step) return null;
  if (step.modelEnd) return overall(run.steps.filter((each) => each.modelEnd?.tok_per_s));
  const seconds = step.tokens.at(-1).t - step.tokens[0].t;
  return seconds > 0.2 ? timed(step) / seconds : null;
}

/** How many tokens took time to write: the first of a turn comes with the reading of the prompt. @param {Step} step */
function timed(step) {
  return step.tokens.length - 1;
}

/** The tokens of turns that are written, over the time that each of them took. @param {Step[]} steps */
function overall(steps) {
  const sum = (of) => steps.reduce((total, step) => total + of(step), 0);
  const n = sum(timed);
  return n > 0 ? n / sum((step) => timed(step) / step.modelEnd.tok_per_s) : null;
}

/** Whether nothing of the run is to come any more. @param {Run} run */
export function isOver(run) {
  return run.end !== null || run.cut;
}

/** Why the run ended, for people: "answer", another stop reason, or null while it goes on. @param {Run} run */
export function outcome(run) {
  return run.end?.stop_reason ?? null;
}
