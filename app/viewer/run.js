// One run on the page: its question, status line, answer and cards. The current run is open; an earlier one of the same
// conversation is folded to its question and answer, and read in full when it is unfolded.

import { StepCard } from "./cards.js";
import { button, make, show } from "./dom.js";
import { settingsText } from "./facts.js";
import { ANSWER_WITHIN_MS, follow, Gone, insist, readPage } from "./poll.js";
import { newRun, outcome, take } from "./state.js";
import { adviceText, legend, Status } from "./status.js";
import { tip } from "./tips.js";

/**
 * @typedef {object} Context What every part of the viewer shares.
 * @property {import("./words.js").Words} words
 * @property {() => {url: string, token?: string}} server
 * @property {() => void} request Asks for a frame.
 * @property {(element: Element, behind: object) => void} register Says what stands behind a group of tokens.
 * @property {(run: object, span: HTMLElement, token: string) => void} explain Gives a control token its tooltip.
 * @property {(run: string) => void} ended Called once, when the run has ended.
 * @property {() => void} toNewest
 * @property {(span: HTMLElement) => void} goTo Goes to a token and makes it the selected one.
 * @property {(span: HTMLElement) => void} explainToken Goes to a token and opens its popover.
 */

function wait(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}

export class RunView {
  /** @param {Context} ctx @param {string} id @param {boolean} earlier */
  constructor(ctx, id, earlier) {
    this.ctx = ctx;
    this.run = newRun(id);
    this.controller = new AbortController();
    this.following = false;
    this.unfolded = false;
    this.summary = null;
    /** @type {StepCard[]} */
    this.cards = [];
    this.build();
    this.setEarlier(earlier);
  }

  build() {
    const { ctx, run } = this;
    const { words } = ctx;
    this.status = new Status(ctx, run, () => this.stop());
    this.newest = words.label(button("lg-newest"), (w) => `↓ ${w.t("newest")}`);
    this.newest.addEventListener("click", () => ctx.toNewest());
    show(this.newest, false);
    this.status.bar.append(this.newest);
    this.question = make("div", "lg-question-text");
    this.settings = make("p", "lg-run-settings");
    const title = words.label(make("h4", "lg-title"), (w) => w.t("question"));
    this.asked = make("div", "lg-question", title, this.question, this.settings);
    this.answers = [this.answerBox("answer"), this.answerBox("answer_again")];
    this.cardsBox = make("div", "lg-cards");
    this.body = make(
      "div", "lg-run-body", this.asked, this.status.element, legend(words), this.answers[0].element, this.cardsBox,
      this.answers[1].element,
    );
    this.element = make("section", "lg-run", this.buildFold(), this.body);
    this.element.dataset.run = run.id;
    show(this.asked, false);
  }

  buildFold() {
    const { words } = this.ctx;
    this.foldQuestion = words.label(make("span", "lg-fold-question"), (w) => this.summary?.question ?? w.t("loading"));
    this.foldAnswer = words.label(make("span", "lg-fold-answer"), (w) => this.summaryAnswer(w));
    const text = make("span", "lg-fold-text", this.foldQuestion, this.foldAnswer);
    this.fold = button("lg-fold lg-run-fold", make("span", "lg-arrow", "▸"), text);
    tip(words, this.fold, (w) => w.t("earlier"));
    this.fold.addEventListener("click", () => this.setUnfolded(!this.unfolded));
    return this.fold;
  }

  summaryAnswer(w) {
    if (this.summary === null) return "";
    if (this.summary.gone) return w.t("earlier_gone");
    return this.summary.final ?? w.t("no_answer");
  }

  answerBox(key) {
    const { words } = this.ctx;
    const text = make("div", "lg-answer-text");
    const advice = words.label(make("div", "lg-advice"), (w) => adviceText(w, this.run) ?? "");
    const title = words.label(make("h4", "lg-title"), (w) => w.t(key));
    const element = make("div", "lg-answer", title, text, advice);
    show(element, false);
    return { element, title, text, advice };
  }

  /** Folds a run that is not the current one any more, or opens the current one. */
  setEarlier(earlier) {
    if (this.earlier === earlier) return;
    this.earlier = earlier;
    show(this.fold, earlier);
    this.element.classList.toggle("lg-earlier", earlier);
    if (!earlier) this.start();
    else if (this.following) this.summarise();
    else this.peek();
    this.setUnfolded(false);
  }

  setUnfolded(unfolded) {
    this.unfolded = unfolded;
    this.fold.setAttribute("aria-expanded", String(unfolded));
    show(this.body, unfolded || !this.earlier);
    if (unfolded) this.start();
    this.ctx.request();
  }

  /** Begins to read the run, and goes on until it has ended. */
  start() {
    if (this.following) return;
    this.following = true;
    follow({
      ...this.seams(),
      read: () => this.read(this.run.nextSeq - 1),
      take: (events) => this.takeIn(events),
      say: (connection) => this.hear(connection),
      now: () => performance.now(),
    });
  }

  seams() {
    const { signal } = this.controller;
    return { read: (after) => this.read(after), wait: (ms) => wait(ms, signal), signal };
  }

  async read(after) {
    const page = await readPage(this.ctx.server().url, this.run.id, after, this.controller.signal);
    if (page.t !== undefined) this.status.hearTime(page.t);
    this.status.unsaved = page.unsaved ?? null;
    return page;
  }

  takeIn(events) {
    const had = this.run.end !== null;
    const { gap } = take(this.run, events);
    const ended = this.run.end !== null;
    if (ended && !had) {
      this.summarise();
      this.ctx.ended(this.run.id);
    }
    this.ctx.request();
    return { gap, ended };
  }

  hear(connection) {
    this.run.cut = connection.kind === "cut";
    this.status.setConnection(connection);
    if (this.run.cut) this.ctx.ended(this.run.id);
    this.ctx.request();
  }

  /** Reads an earlier run's question and answer. The events of a long one are not kept until it is unfolded. */
  async peek() {
    try {
      let page = await insist(-1, this.seams());
      if (page && !this.following) this.takeIn(page.events);
      let last = page?.events.at(-1);
      while (page && !page.ended && page.events.length > 0 && last.kind !== "run_end") {
        page = await insist(last.seq, this.seams());
        last = page?.events.at(-1) ?? last;
      }
      if (page) this.summarise(last?.kind === "run_end" ? last : null);
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
      this.summary = { question: this.run.id, final: null, gone: true };
      this.refreshFold();
    }
  }

  summarise(end = this.run.end) {
    this.summary = { question: this.run.start?.question ?? this.run.id, final: end?.final ?? null, gone: false };
    this.refreshFold();
  }

  refreshFold() {
    this.ctx.words.refresh(this.foldQuestion);
    this.ctx.words.refresh(this.foldAnswer);
  }

  async stop() {
    const { url, token } = this.ctx.server();
    let response;
    try {
      response = await fetch(`${url}/api/runs/${encodeURIComponent(this.run.id)}/stop`, {
        method: "POST", headers: token ? { "x-loopglass-token": token } : {}, signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
    } catch {
      throw new Error("stop_unreachable");
    }
    if (!response.ok) throw new Error(response.status === 404 ? "stop_elsewhere" : "stop_refused");
  }

  /**
   * Draws what is new.
   * @param {number} deadline As performance.now() counts.
   * @returns {boolean} Whether everything that is known is drawn.
   */
  draw(deadline) {
    if (this.body.hidden) return true;
    const { run } = this;
    this.drawQuestion();
    for (const [i, step] of run.steps.entries()) {
      const card = this.cards[i] ?? this.addCard(step);
      if (!card.complete || i === run.steps.length - 1) card.draw(deadline);
      if (!card.complete) break;
    }
    const complete = this.cards.length === run.steps.length && (this.cards.at(-1)?.complete ?? true);
    this.status.draw();
    if (complete && run.end) this.drawEnd();
    return complete;
  }

  drawQuestion() {
    if (!this.run.start || !this.asked.hidden) return;
    this.question.textContent = this.run.start.question;
    this.ctx.words.label(this.settings, (w) => settingsText(w, this.run.start));
    this.ctx.words.label(this.element, (w) => w.t("the_run", { model: this.run.start.model }), "aria-label");
    show(this.asked, true);
  }

  addCard(step) {
    const card = new StepCard(this.ctx, this.run, step);
    this.cards.push(card);
    this.cardsBox.append(card.element);
    return card;
  }

  drawEnd() {
    if (!this.answers[0].element.hidden) return;
    const { final } = this.run.end;
    const answered = outcome(this.run) === "answer";
    for (const { element, title, text, advice } of this.answers) {
      text.textContent = final ?? "";
      this.ctx.words.refresh(advice);
      show(title, final !== null);
      show(text, final !== null);
      show(advice, !answered);
      element.classList.toggle("lg-unanswered", !answered);
      show(element, final !== null || !answered);
    }
  }

  /** Shows the way to the newest token to a reader who is elsewhere while the run goes on. */
  offerNewest(offered) {
    show(this.newest, offered && this.status.running);
  }

  destroy() {
    this.controller.abort();
    this.ctx.words.forget(this.element);
    this.element.remove();
  }
}
