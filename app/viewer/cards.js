// One step of the loop as a card. Its sections appear as their events come, and each is built once.

import { feedbackSection, ToolSection } from "./answers.js";
import { copyButton } from "./copy.js";
import { make } from "./dom.js";
import { endedText, headText, timesText } from "./facts.js";
import { DraftingLane } from "./lane.js";
import { rawOf } from "./pieces.js";
import { PromptSection } from "./prompt.js";
import { FormingSection, readingSection } from "./reading.js";
import { isOver } from "./state.js";
import { TokenStrip } from "./tokens.js";

export class StepCard {
  /**
   * @param {import("./run.js").Context} ctx
   * @param {import("./state.js").Run} run
   * @param {import("./state.js").Step} step
   */
  constructor(ctx, run, step) {
    const none = { prompt: null, strip: null, lane: null, end: null, forming: null, reading: null };
    Object.assign(this, { ctx, run, step, version: -1, ...none });
    this.tools = [];
    this.nAnswers = 0;
    this.head = ctx.words.label(make("span", "lg-card-facts"), (w) => headText(w, step));
    const title = ctx.words.label(make("h3", "lg-card-title"), (w) => w.t("step", { n: step.n }));
    this.element = make("article", "lg-card", make("header", "lg-card-head", title, this.head));
    ctx.words.label(this.element, (w) => w.t("step", { n: step.n }), "aria-label");
  }

  /** Whether everything that is known is drawn. */
  get complete() {
    const written = this.strip?.complete ?? this.step.tokens.length === 0;
    return this.version === this.step.version && written && (this.lane?.isComplete(this.step.tokens.length) ?? true);
  }

  /** Draws what is new until the deadline. @param {number} deadline As performance.now() counts. */
  draw(deadline) {
    const { step } = this;
    this.drawBeforeTokens();
    this.strip?.draw(deadline);
    this.lane?.draw(this.strip.spans.length, deadline);
    this.ctx.words.refresh(this.head);
    this.drawForming();
    if (this.strip && !this.strip.complete) return;
    this.drawAfterTokens();
    this.version = step.version;
  }

  drawBeforeTokens() {
    const { step } = this;
    if (step.context && !this.prompt) {
      this.prompt = new PromptSection(this.ctx, this.run, step);
      this.element.append(this.prompt.element);
    }
    if (this.version !== step.version) this.prompt?.update();
    if (!this.strip && (step.prefill || step.tokens.length > 0)) this.addStrip();
  }

  addStrip() {
    const { words } = this.ctx;
    this.strip = new TokenStrip(this.step, (span, token) => this.ctx.explain(this.run, span, token.piece));
    this.strip.element.setAttribute("role", "group");
    words.label(this.strip.element, (w) => w.t("written_label", { n: this.step.n }), "aria-label");
    this.ctx.register(this.strip.element, { run: this.run, step: this.step, card: this });
    const title = words.label(make("h4", "lg-title"), (w) => w.t("written_title"));
    const head = make("div", "lg-head", title, copyButton(words, "copy_written", () => rawOf(this.step)));
    this.written = make("section", "lg-section lg-written", head, this.strip.element);
    this.element.append(this.written);
    if (this.run.start?.settings?.drafter) this.addLane();
  }

  addLane() {
    this.lane = new DraftingLane(this.ctx, this.run, this.step, (index) => this.ctx.explainToken(this.strip.spans[index]));
    this.element.append(this.lane.element);
  }

  /** A call that is being written, until it has been read as a whole or the run is over without that. */
  drawForming() {
    const { step } = this;
    if (step.parsed || isOver(this.run)) {
      if (this.forming) this.ctx.words.forget(this.forming.element);
      this.forming?.element.remove();
      this.forming = null;
    } else if (step.forming && !this.forming) {
      this.forming = new FormingSection(this.ctx, step);
      this.element.append(this.forming.element);
    } else {
      this.forming?.update();
    }
  }

  /** What the reading below the tokens can do with them. @returns {import("./reading.js").Strip} */
  get wayUp() {
    const { strip, ctx } = this;
    return {
      mark: (spans) => {
        const first = strip?.mark(spans);
        if (first) ctx.goTo(first);
      },
      show: (index) => strip && ctx.explainToken(strip.spans[index]),
    };
  }

  drawAfterTokens() {
    const { step, ctx } = this;
    if (step.modelEnd && !this.end) this.addEnd();
    if (step.parsed && !this.reading) {
      this.reading = readingSection(ctx, this.run, step, this.wayUp);
      this.element.append(this.reading);
    }
    for (const tool of this.tools) tool.update();
    for (const answer of step.answers.slice(this.nAnswers)) this.element.append(this.answered(answer));
    this.nAnswers = step.answers.length;
  }

  answered({ tool, feedback }) {
    if (feedback) return feedbackSection(this.ctx, feedback);
    const section = new ToolSection(this.ctx, this.run, tool);
    this.tools.push(section);
    return section.element;
  }

  addEnd() {
    const { words } = this.ctx;
    this.end = make(
      "div", "lg-end",
      words.label(make("span", "lg-ended"), (w) => endedText(w, this.run, this.step)),
      words.label(make("span", "lg-times"), (w) => timesText(w, this.step)),
    );
    if (this.step.tokens.length === 0) this.end.prepend(words.label(make("span"), (w) => w.t("nothing_written")));
    (this.written ?? this.element).append(this.end);
  }
}
