// What the modules draw for a log, and where the focus goes, in the document of dom.js.

import assert from "node:assert/strict";
import test from "node:test";

import { StepCard } from "../../app/viewer/cards.js";
import { make } from "../../app/viewer/dom.js";
import { Selection } from "../../app/viewer/keys.js";
import { Popover } from "../../app/viewer/popover.js";
import { newRun, take } from "../../app/viewer/state.js";
import { Status } from "../../app/viewer/status.js";
import { Words } from "../../app/viewer/words.js";
import { newPage } from "./dom.js";
import { numbered, smallRun, token } from "./fixtures.js";

const TABLES = {
  en: {
    seen_cached: "{n} in the cache", seen_but_last_cached: "{n}: {cached}, and the last one",
    seen_part_cached: "{n}: {cached}, again {again}", where: "{n} of {of}", token_label_plain: "“{piece}”, token {n} of {of}",
    tool_running: "{name} runs", tool_title: "{name} said", tool_title_error: "nothing from {name}",
    tool_title_refused: "{name} did not run", pill_call: "a call", feedback_title: "told",
    feedback_empty_turn: "nothing was written", feedback_format_error: "a broken call", least: "{piece} {p}", after: "→ {p}",
    top_stages: "{n}, then {settings}", top_settings: "after {settings}", setting_temperature: "t {n}", setting_top_k: "k {n}",
    setting_top_p: "p {n}", top_stages_mean: "first {n}, then {settings}", happened_only_top_p: "after {temperature} at {share}",
  },
  zh: { where: "第 {n} 個，共 {of} 個", token_label_plain: "「{piece}」第 {n} 個", tool_running: "{name} 執行中", pill_call: "呼叫" },
};

/** A page with a run as far as it is known; `draw` draws what is new, as a frame does. */
async function drawn(events) {
  const page = newPage();
  const root = make("div", "lg-root");
  page.append(root);
  const words = new Words(async (lang) => TABLES[lang]);
  await words.use("en");
  const popover = new Popover(root, words);
  const registry = new WeakMap();
  const selection = new Selection(root, registry, popover, words);
  const run = newRun("r");
  const cards = [];
  const ctx = {
    words, request: () => draw(), register: (element, behind) => registry.set(element, behind), explain: () => {},
    goTo: (span) => selection.select(span), explainToken: (span) => selection.select(span),
  };
  const draw = () => {
    for (const step of run.steps) {
      if (!cards[step.n - 1]) {
        cards.push(new StepCard(ctx, run, step));
        root.append(cards.at(-1).element);
      }
      cards[step.n - 1].draw(Infinity);
    }
    popover.keepUp();
  };
  const feed = (more) => {
    take(run, more);
    draw();
  };
  feed(events);
  return { root, words, popover, selection, run, ctx, draw, feed };
}

const FORMING = [
  { kind: "run_start", settings: {} }, { kind: "step_start", step: 1 }, { kind: "prefill", step: 1, n_reused: 0 },
  token(1, 0, "<tool_call>", { channel: "control" }), token(1, 1, "{1", { channel: "tool_call" }),
  { kind: "call_forming", step: 1, call: 0, name: "calculator", span_from: 0, args_from: 1 },
];

test("a call that was being written when the run failed is no longer shown as forming", async () => {
  const page = await drawn(numbered(FORMING));
  assert.equal(page.root.querySelectorAll(".lg-caret").length, 1);
  page.feed(numbered([...FORMING, { kind: "run_end", stop_reason: "backend_error", final: null }]));
  assert.equal(page.root.querySelectorAll(".lg-caret").length, 0);
});

test("a tool without an answer is no longer shown as running when the record breaks off", async () => {
  const events = smallRun().slice(0, 11);
  const page = await drawn(events);
  const title = page.root.querySelector(".lg-tool").querySelector(".lg-title");
  assert.equal(title.textContent, "calculator runs");
  page.run.cut = true;
  page.draw();
  assert.equal(title.textContent, "a call");
});

test("a call that was refused ran nothing, and a turn with nothing in it had no broken call", async () => {
  const result = (call, error) => ({ kind: "tool_result", step: 1, call, name: "t", result: error ? null : "2", error });
  const start = (call) => ({ kind: "tool_start", step: 1, call, name: "t", arguments: {} });
  const feedback = (call) => ({ kind: "feedback", step: 1, call, why: "format_error", text: "…", given_as: "user" });
  const { root } = await drawn(numbered([
    { kind: "step_start", step: 1 }, result(0, "no such argument"), start(1), result(1, "too long"), start(2), result(2, null),
    feedback(3), feedback(null),
  ]));
  const sections = [...root.querySelectorAll(".lg-tool"), ...root.querySelectorAll(".lg-feedback")];
  assert.deepEqual(sections.map((section) => section.querySelector(".lg-title").textContent), [
    "t did not run", "nothing from t", "t said", "told · a broken call", "told · nothing was written",
  ]);
});

test("what became of the calls stands in the order of the log, drawn at once or one after another", async () => {
  const events = numbered([
    { kind: "step_start", step: 1 }, { kind: "feedback", step: 1, call: 0, why: "unknown_tool", text: "no" },
    { kind: "tool_start", step: 1, call: 1, name: "t", arguments: {} },
    { kind: "tool_result", step: 1, call: 1, name: "t", result: "r", error: null, ms: 1 },
    { kind: "feedback", step: 1, call: 2, why: "unknown_tool", text: "no" },
  ]);
  const order = (page) => page.root.querySelectorAll(".lg-section").map((each) => each.className);
  const live = await drawn([]);
  for (const event of events) live.feed([event]);
  const reloaded = await drawn(events);
  assert.deepEqual(order(live), ["lg-section lg-feedback", "lg-section lg-tool", "lg-section lg-feedback"]);
  assert.deepEqual(order(reloaded), order(live));
});

test("what is the same as before is told from what the cache holds of it", async () => {
  const said = async (reused, departs = null) => {
    const events = smallRun();
    events.find((event) => event.kind === "prefill" && event.step === 2).n_reused = reused;
    events.find((event) => event.kind === "context" && event.step === 2).departs = departs;
    return (await drawn(events)).root.querySelectorAll(".lg-prompt")[1].querySelector(".lg-fold").children[1].textContent;
  };
  const departs = { token: 6, kind: "thinking", was: "a", now: "b", changes: [["thinking", 1, 1, 1]], n_again: 3 };
  assert.equal(await said(6), "6 in the cache");
  assert.equal(await said(5), "6: 5, and the last one");
  assert.equal(await said(5, departs), "6: 5, again 1");
  assert.equal(await said(0), "6: 0, again 6");
});

test("an open popover counts on while the turn is written", async () => {
  const events = smallRun();
  const page = await drawn(events.slice(0, 6));
  page.root.querySelector(".lg-t").click();
  assert.match(page.popover.element.textContent, /1 of 2/);
  page.feed(events.slice(6, 8));
  assert.match(page.popover.element.textContent, /1 of 4/);
  assert.equal(page.popover.where.getAttribute("aria-live"), "off");
});

test("a control token shows its doubt, and that it was an upset, as every other token does", async () => {
  const control = (index, p, rank) => token(1, index, "<c>", { special: true, channel: "control", p, rank });
  const page = await drawn(numbered([
    { kind: "run_start", settings: {} }, { kind: "step_start", step: 1 }, { kind: "prefill", step: 1, n_reused: 0 },
    control(0, 0.99, 1), control(1, 0.05, 3), control(2, undefined, undefined), token(1, 3, "a", { p: 0.05, rank: 3 }),
  ]));
  const looks = page.root.querySelectorAll(".lg-t").map((span) => span.className);
  assert.deepEqual(looks, ["lg-t lg-pill", "lg-t lg-pill lg-d5 lg-upset", "lg-t lg-pill", "lg-t lg-d5 lg-upset"]);
});

/** What the popover says of each candidate of a token behind its name, and of all of them above. */
async function candidatesSaid(settings) {
  const top = [[1, "a", 0.4, 1], [2, "b", 0.2, 1], [3, "c", 0.1, 0], [4, "d", 0.05, 0]];
  const page = await drawn(numbered([
    { kind: "run_start", settings }, { kind: "step_start", step: 1 }, { kind: "prefill", step: 1, n_reused: 0 },
    token(1, 0, "a", { id: 1, p: 0.4, p_sampled: 0.8, rank: 1, kept: 2, top }),
  ]));
  page.root.querySelector(".lg-t").click();
  const { element } = page.popover;
  const rows = element.querySelectorAll(".lg-candidate").map((row) => row.children.slice(3).map((cell) => cell.textContent));
  return [element.querySelector(".lg-top-head").children[1].textContent, ...rows];
}

test("the popover says of each candidate what temperature, top-k and top-p did to it", async () => {
  // At temperature 0.5 half as likely becomes a quarter; 4 : 1 of what is left is 80 % and 20 %.
  assert.deepEqual(await candidatesSaid({ temperature: 0.5, top_k: 3, top_p: 0.9 }), [
    "0.5, then k 3 · p 0.9", ["40 %", "→ 1", "→ 80 %"], ["20 %", "→ 0.25", "→ 20 %"], ["10 %", "→ 0.063", "cut_by_top_p"],
    ["5 %", "→ 0.016", "cut_by_top_k"],
  ]);
  // 80 % to 40 % where nothing but the temperature acts: there is no number between.
  assert.deepEqual((await candidatesSaid({ temperature: 0.5, top_k: 0, top_p: 1 })).slice(0, 3), [
    "after t 0.5", ["40 %", "→ 80 %"], ["20 %", "→ 20 %"],
  ]);
  assert.deepEqual((await candidatesSaid({})).slice(1), [
    ["40 %", "→ 80 %"], ["20 %", "kept"], ["10 %", "cut"], ["5 %", "cut"],
  ]);
});

test("what the steps of the candidates mean can be reached by keyboard, and is forgotten with the popover", async () => {
  const page = await drawn(numbered([
    { kind: "run_start", settings: { temperature: 0.5, top_k: 2 } }, { kind: "step_start", step: 1 },
    { kind: "prefill", step: 1, n_reused: 0 },
    token(1, 0, "a", { id: 1, p: 0.4, p_sampled: 0.8, rank: 1, kept: 2, top: [[1, "a", 0.4, 1], [2, "b", 0.2, 1]] }),
  ]));
  const before = page.words.labels.size;
  page.root.querySelector(".lg-t").click();
  const stages = page.popover.element.querySelector(".lg-stages");
  assert.equal(stages.tabIndex, 0);
  assert.equal(stages.getAttribute("aria-description"), "first 0.5, then k 2");
  page.popover.redraw();
  page.popover.close();
  assert.equal(page.words.labels.size, before);
});

test("the share that reached top-p is said to be that after the temperature", async () => {
  const page = await drawn(numbered([
    { kind: "run_start", settings: { temperature: 0.1, top_k: 20, top_p: 0.9 } }, { kind: "step_start", step: 1 },
    { kind: "prefill", step: 1, n_reused: 0 },
    token(1, 0, "a", { id: 1, p: 0.55, p_sampled: 1, rank: 1, kept: 1, top: [[1, "a", 0.55, 1], [2, "b", 0.1, 0]] }),
  ]));
  page.root.querySelector(".lg-t").click();
  assert.equal(page.popover.element.querySelector(".lg-sentence").textContent, "after 0.1 at 0.9");
});

test("whoever closes the popover from inside is back at the token", async () => {
  const page = await drawn(smallRun());
  for (const leave of [(close) => close.click(), (close) => close.press("Escape")]) {
    const span = page.root.querySelectorAll(".lg-t")[2];
    page.selection.select(span);
    span.press("Enter");
    const close = page.popover.element.querySelector(".lg-close");
    close.focus();
    leave(close);
    assert.equal(page.popover.isOpen, false);
    assert.equal(document.activeElement, span);
  }
});

test("Enter on another token opens that one", async () => {
  const page = await drawn(smallRun());
  const [first, , third] = page.root.querySelectorAll(".lg-t");
  page.selection.select(first);
  first.press("Enter");
  third.focus();
  third.press("Enter");
  assert.equal(page.popover.target.span, third);
  third.press("Enter");
  assert.equal(page.popover.isOpen, false);
});

test("the popover goes with its token: folded away, or drawn anew", async () => {
  const page = await drawn(smallRun());
  page.root.querySelector(".lg-t").click();
  page.root.querySelector(".lg-strip").hidden = true;
  page.draw();
  assert.equal(page.popover.isOpen, false);
  page.root.querySelector(".lg-p").click();
  assert.equal(page.popover.isOpen, true);
  const toggle = page.root.querySelector("input");
  toggle.checked = true;
  toggle.dispatch("change");
  assert.equal(page.popover.isOpen, false);
});

test("after a switch of language no token keeps words of the old one", async () => {
  const page = await drawn(smallRun());
  for (const span of page.root.querySelectorAll(".lg-t")) page.selection.select(span);
  await page.words.use("zh");
  page.selection.describe();
  const labels = page.root.querySelectorAll(".lg-t").map((span) => span.getAttribute("aria-label")).filter(Boolean);
  assert.deepEqual(labels, ["「<|im_end|>」第 2 個"]);
});

test("after a switch of language no guess keeps words of the old one", async () => {
  const events = numbered([
    { kind: "run_start", settings: { drafter: "prompt_lookup" } }, { kind: "step_start", step: 1 },
    { kind: "prefill", step: 1, n_reused: 0 },
    ...[0, 1, 2].map((place) => token(1, place, "x", { draft: { piece: "x", accepted: true, place, dropped: [] } })),
  ]);
  const page = await drawn(events);
  const chips = page.root.querySelector(".lg-rounds").querySelectorAll(".lg-guess");
  for (const chip of chips) chip.dispatch("focusin");
  assert.deepEqual(chips.map((chip) => chip.getAttribute("data-tip")), [null, null, "draft_chip"]);
  TABLES.zh.draft_chip = "猜";
  await page.words.use("zh");
  assert.deepEqual(chips.map((chip) => chip.getAttribute("aria-label")), [null, null, "x: 猜"]);
});

test("the control tokens of what was seen can be reached by keyboard", async () => {
  const page = await drawn(smallRun());
  page.root.querySelector(".lg-fold").click();
  const pills = page.root.querySelector(".lg-seen").querySelectorAll(".lg-p");
  assert.ok(pills.length > 1);
  assert.deepEqual(pills.map((pill) => pill.tabIndex), [0, ...pills.slice(1).map(() => -1)]);
});

test("down from a prompt leads to the turn that answers it, and nowhere while there is none", async () => {
  const events = smallRun();
  const page = await drawn(events.slice(0, 14));
  const [first, second] = page.root.querySelectorAll(".lg-parts").map((parts) => parts.querySelector(".lg-p"));
  page.selection.select(first);
  first.press("ArrowDown");
  assert.equal(document.activeElement, page.root.querySelectorAll(".lg-t")[0]);
  page.selection.select(second);
  second.press("ArrowDown");
  assert.equal(document.activeElement, second);
  second.press("ArrowUp");
  assert.equal(document.activeElement, page.root.querySelectorAll(".lg-t")[0]);
  page.feed(events.slice(14));
  page.selection.select(second);
  second.press("ArrowDown");
  assert.equal(document.activeElement, page.root.querySelectorAll(".lg-t")[4]);
});

test("a line break of the prompt is said once in its popover", async () => {
  const page = await drawn(smallRun());
  const toggle = page.root.querySelectorAll("input")[1];
  toggle.checked = true;
  toggle.dispatch("change");
  const [line] = page.root.querySelectorAll(".lg-parts")[1].querySelectorAll(".lg-p");
  line.click();
  assert.equal(page.popover.element.querySelector(".lg-piece").textContent, "↵");
});

test("where tokens cannot be counted the prompt still says that it departs, and where", async () => {
  const events = smallRun();
  const context = events.find((event) => event.kind === "context" && event.step === 2);
  delete context.ends;
  context.origins = [["template", "again", null, 23]];
  context.departs = { token: 4, kind: "text", was: "old", now: "new", changes: [["text", null, null, 1]], n_again: null };
  const page = await drawn(events);
  assert.equal(page.root.querySelectorAll(".lg-ledger-bar").length, 0);
  assert.match(page.root.querySelector(".lg-ledger").textContent, /old.*new/);
});

test("a call's values cannot turn the text around them, and its least certain token reads as everywhere", async () => {
  const call = {
    name: "a\u202eb", arguments: { "k\u202e": "v\u202e" }, raw_args: "", error: null,
    span: [0, 1], args_span: [0, 1], value_spans: {},
  };
  const page = await drawn(numbered([
    { kind: "run_start", settings: {}, vocabulary: "byte_level" }, { kind: "step_start", step: 1 },
    { kind: "prefill", step: 1, n_reused: 0 }, token(1, 0, "", { piece: "å", p: 0.5, channel: "tool_call" }),
    { kind: "call_forming", step: 1, call: 0, name: call.name, span_from: 0, args_from: 0 },
  ]));
  assert.equal(page.root.querySelector(".lg-forming-name").textContent, "a<U+202E>b");
  const { nextSeq: seq } = page.run;
  page.feed([
    { seq, kind: "parsed", step: 1, tool_calls: [call] },
    { seq: seq + 1, kind: "tool_start", step: 1, call: 0, name: "t", arguments: call.arguments },
  ]);
  assert.equal(page.root.querySelector(".lg-call-text").textContent, 'a<U+202E>b(k<U+202E>: "v<U+202E>")');
  assert.equal(page.root.querySelector(".lg-called").textContent, 't({"k<U+202E>":"v<U+202E>"})');
  assert.equal(page.root.querySelector(".lg-least").textContent, "<0xE5> 50 %");
});

test("a stop that failed is forgotten when the run ends, and hides nothing that is to be said", async () => {
  const page = await drawn(smallRun().slice(0, 5));
  const status = new Status(page.ctx, page.run, () => Promise.reject(new Error("stop_unreachable")));
  status.stopButton.click();
  await new Promise(setImmediate);
  assert.equal(status.alert.textContent, "stop_failed");
  status.setConnection({ kind: "cut" });
  assert.equal(status.alert.textContent, "broken_off");
  status.setConnection({ kind: "ok" });
  take(page.run, smallRun());
  status.draw();
  assert.equal(status.alert.hidden, true);
});
