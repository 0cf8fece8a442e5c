// A small run as the harness logs one: two steps, one tool call, an answer. Used by the tests in this folder.

const ARGUMENTS = { expression: "1+1" };
const CALL = { name: "calculator", arguments: ARGUMENTS, span: [0, 3] };
const TEMPLATE = "<|im_start|>user\nhow much? 😀<|im_end|>\n<|im_start|>assistant\n";

/** Gives events their seq and a time. */
export function numbered(events) {
  return events.map((event, seq) => ({ seq, t: seq / 10, ...event }));
}

export function token(step, index, text, more = {}) {
  return { kind: "token", step, index, id: 100 + index, piece: text, text, special: false, channel: "content", ...more };
}

export const SETTINGS = { temperature: 0.7, top_k: 20, top_p: 0.9, max_new_tokens: 64, max_steps: 4, time_limit_s: 60 };

/** @returns {object[]} */
export function smallRun() {
  const raw = "<tool_call>1+1</tool_call><|im_end|>";
  const seen = TEMPLATE + raw;
  return numbered([
    { kind: "run_start", run_id: "r", question: "how much? 😀", settings: SETTINGS, control_tokens: { "<|im_start|>": null } },
    { kind: "step_start", step: 1 },
    {
      kind: "context", step: 1, added_from: 0, ids_from: 0, text: TEMPLATE, ids: [1, 2], ends: [12, [...TEMPLATE].length],
      special: [0], n_tokens: 2, origins: [["template", "new", 1, 12], ["user", "new", 1, [...TEMPLATE].length - 12]],
      departs: null,
    },
    { kind: "prefill", step: 1, n_tokens: 2, n_reused: 0, ms: 5 },
    token(1, 0, "<tool_call>"), token(1, 1, "1+1"), token(1, 2, "</tool_call>"), token(1, 3, "<|im_end|>"),
    { kind: "model_end", step: 1, raw, finish: "stop_token", stop_piece: "<|im_end|>", n_tokens: 4, tok_per_s: 50 },
    { kind: "parsed", step: 1, thinking: null, content: "", tool_calls: [CALL] },
    { kind: "tool_start", step: 1, call: 0, name: "calculator", arguments: ARGUMENTS },
    { kind: "tool_result", step: 1, call: 0, name: "calculator", result: "2", error: null, ms: 1 },
    { kind: "step_start", step: 2 },
    {
      kind: "context", step: 2, added_from: [...seen].length, ids_from: 6, text: "\n<|im_start|>assistant\n", ids: [3, 4, 5],
      ends: [1, 13, 23], special: [1], n_tokens: 9, origins: [["template", "new", 3, 23]], departs: null,
    },
    { kind: "prefill", step: 2, n_tokens: 9, n_reused: 6, ms: 2 },
    token(2, 0, "2"), token(2, 1, "<|im_end|>"),
    { kind: "model_end", step: 2, raw: "2<|im_end|>", finish: "stop_token", stop_piece: "<|im_end|>", n_tokens: 2 },
    { kind: "parsed", step: 2, thinking: null, content: "2", tool_calls: [] },
    { kind: "run_end", stop_reason: "answer", final: "2", n_steps: 2, n_tokens: 6, seconds: 2 },
  ]);
}
