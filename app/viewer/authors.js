// Who wrote which part of a prompt: the system message, the user, a tool, the model, or the harness. Pure.
//
// Knows no model family. It relies on what chat formats share: a control token opens each message, and the role stands in it
// (<|user|>) or right after it (<|im_start|>user). Where that finds nothing, the text counts as the harness's.

const ROLES = {
  system: "system", developer: "system", available_tools: "system", user: "user", human: "user", inst: "user",
  tool: "tool", tool_results: "tool", ipython: "tool", observation: "tool", environment: "tool",
  assistant: "model", model: "model",
};
const ROLE_AFTER = new RegExp(`^(${Object.keys(ROLES).join("|")})(?=\\s|<|\\[|$)`, "i");
const TOOL_ANSWER = /tool_(response|result|output)/i;

/**
 * @typedef {object} Part
 * @property {"system"|"user"|"tool"|"model"|"harness"} by
 * @property {number} from Index into the text.
 * @property {number} to
 */

function roleOf(text, control) {
  const name = text.slice(control.from, control.to);
  if (/^(<\/|\[\/|<\|?(im_)?end)/i.test(name)) return null;
  const inside = name.replaceAll(/[<>|｜[\]]/g, "").toLowerCase();
  if (Object.hasOwn(ROLES, inside)) return ROLES[inside];
  const after = ROLE_AFTER.exec(text.slice(control.to, control.to + 20));
  return after ? ROLES[after[1].toLowerCase()] : null;
}

function opened(text, controls) {
  const parts = [];
  for (const control of controls) {
    const by = roleOf(text, control);
    if (by) parts.push({ by, from: control.from, to: text.length });
  }
  parts.forEach((part, i) => {
    if (i + 1 < parts.length) part.to = parts[i + 1].from;
  });
  return parts;
}

/**
 * Splits a prompt's new part by who wrote it.
 * @param {string} text
 * @param {{from: number, to: number}[]} controls Where the control tokens stand.
 * @param {object} [known] What else tells authors apart.
 * @param {boolean} [known.goesOn] The text goes on in the middle of a message of the model's.
 * @param {string[]} [known.toolResults] What tools returned just before.
 * @param {string[]} [known.feedback] What the harness told the model just before.
 * @returns {Part[]} In order, together the whole text.
 */
export function authors(text, controls, { goesOn = false, toolResults = [], feedback = [] } = {}) {
  const parts = opened(text, controls);
  const first = parts[0]?.from ?? text.length;
  if (first > 0) {
    const head = text.slice(0, first);
    if (parts.length > 0 && head.trim() === "") parts[0].from = 0;
    else parts.unshift({ by: goesOn ? "model" : "harness", from: 0, to: first });
  }
  const last = parts.at(-1);
  parts.forEach((part) => {
    const body = text.slice(part.from, part.to);
    if (part.by === "user" && (answersCall(text, part, controls) || holdsAny(body, toolResults))) part.by = "tool";
    if (part.by !== "system" && holdsAny(body, feedback)) part.by = "harness";
  });
  // A prompt ends by opening the model's turn; nobody has written anything there yet but the template.
  if (last?.by === "model" && last.from > 0) last.by = "harness";
  return parts;
}

function answersCall(text, part, controls) {
  return controls.some(({ from, to }) => from >= part.from && to <= part.to && TOOL_ANSWER.test(text.slice(from, to)));
}

function holdsAny(body, texts) {
  return texts.some((each) => each.trim() !== "" && body.includes(each.trim()));
}
