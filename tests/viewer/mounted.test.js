// The viewer as a page mounts it, in the document of dom.js and in front of a server that answers from a script.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test, { mock } from "node:test";

import { mount } from "../../app/viewer/main.js";
import { newPage } from "./dom.js";
import { smallRun } from "./fixtures.js";

const WORDS = { question: "Question", no_answer: "No answer", loading: "Loading" };

/** Answers addresses that hold a key with what stands there: an Error once, or JSON for ever. */
function serve(answers) {
  globalThis.fetch = async (address) => {
    const key = Object.keys(answers).find((each) => address.includes(each));
    const answer = Array.isArray(answers[key]) ? answers[key].shift() : answers[key];
    if (answer instanceof Error) throw answer;
    return Response.json(await answer);
  };
}

async function until(holds) {
  for (let i = 0; i < 400 && !holds(); i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(holds());
}

function mounted(runs) {
  const page = newPage();
  const viewer = mount(page, { runs, url: "", lang: "en", live: false });
  page.querySelector("link").dispatch("load");
  return { page, viewer, root: page.querySelector(".lg-root") };
}

test("nothing is seen before the wording is there", async () => {
  let arrive = () => {};
  serve({ words: new Promise((resolve) => { arrive = () => resolve(WORDS); }), events: { events: smallRun(), ended: true } });
  const { viewer, root } = mounted(["r"]);
  await new Promise(setImmediate);
  assert.equal(root.hidden, true);
  arrive();
  await until(() => !root.hidden);
  assert.equal(root.querySelector(".lg-title").textContent, "Question");
  assert.equal(root.lang, "en");
  viewer.update({ runs: ["r"], url: "", lang: "zh" });
  await until(() => root.lang === "zh-TW");
  viewer.destroy();
});

test("an earlier question that cannot be read at first is no question without an answer", async () => {
  const page = { events: smallRun(), ended: true };
  serve({ words: WORDS, "/earlier/": [new TypeError("offline"), page], "/now/": page });
  const { viewer, root } = mounted(["earlier", "now"]);
  const [question, answer] = [".lg-fold-question", ".lg-fold-answer"].map((each) => root.querySelector(each));
  await until(() => !root.hidden && question.textContent !== "");
  assert.deepEqual([question.textContent, answer.textContent], ["Loading", ""]);
  await until(() => answer.textContent !== "");
  assert.deepEqual([question.textContent, answer.textContent], ["how much? 😀", "2"]);
  viewer.destroy();
});

test("a page opened while a long prompt is read says how long the run has gone on, not when it last did something", async () => {
  serve({ words: { ...WORDS, elapsed: "{s} s" }, events: { events: smallRun().slice(0, 3), ended: false, t: 62.5 } });
  const { viewer, root } = mounted(["r"]);
  await until(() => root.querySelector(".lg-facts").textContent !== "");
  assert.match(root.querySelector(".lg-facts").textContent, /^6[2-4]\.\d s/);
  viewer.destroy();
});

test("a run that cannot be saved says so while it goes on and once it has ended", async () => {
  for (const ended of [false, true]) {
    const events = ended ? smallRun() : smallRun().slice(0, 3);
    serve({ words: { ...WORDS, unsaved: "not saved: {error}" }, events: { events, ended, unsaved: "disk full" } });
    const { viewer, root } = mounted(["r"]);
    await until(() => root.querySelector(".lg-alert").textContent !== "");
    assert.equal(root.querySelector(".lg-alert").textContent, "not saved: disk full");
    assert.equal(root.querySelector(".lg-alert").hidden, false);
    viewer.destroy();
  }
});

/** The component's own lines, with a viewer that only hands its listeners out. */
async function component() {
  const file = readFileSync(new URL("../../app/viewer_component.py", import.meta.url), "utf-8");
  const code = /_CODE = """(.*?)"""/s.exec(file)[1];
  const asModule = (text) => `data:text/javascript,${encodeURIComponent(text)}`;
  const stub = "export function mount(element, data, { onEnded }) { globalThis.onEnded = onEnded; return { destroy() {} }; } //";
  globalThis.location = { origin: asModule(stub) };
  return (await import(asModule(code))).default;
}

test("a run that ends is told to the page again and again, but not once the viewer is gone", async () => {
  const draw = await component();
  for (const stays of [true, false]) {
    const parentElement = newPage();
    const told = [];
    const cleanUp = draw({
      data: { runs: ["r"], live: true, url: "" }, parentElement, setTriggerValue: (name, run) => told.push([name, run]),
    });
    delete globalThis.onEnded;
    await until(() => globalThis.onEnded);
    mock.timers.enable({ apis: ["setTimeout"] });
    globalThis.onEnded("r");
    mock.timers.tick(301);
    if (!stays) parentElement.remove();
    cleanUp();
    mock.timers.tick(2001);
    mock.timers.reset();
    assert.deepEqual(told, Array(stays ? 2 : 1).fill(["ended", "r"]));
  }
});
