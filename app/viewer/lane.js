// The drafting lane of a step: what was guessed in each round, what held, and what the model wrote instead. Its rows come with
// the tokens; its figures are those of model_end and of nothing else, so that the page and the run file cannot differ.

import { passesSaved, Rounds, written } from "./drafts.js";
import { button, make, show } from "./dom.js";
import { percent, visible } from "./numbers.js";
import { tip } from "./tips.js";

const CHANNELS = ["thought", "tool_call", "content", "control"];
const STATES = ["held", "fell", "dropped", "own"];
const ROWS_AT_ONCE = 500; // Thousands of rows would make every frame slow.
const CLOCK_EVERY = 8;
const AT_END_PX = 24;

function passes(w, modelEnd) {
  const saved = passesSaved(modelEnd);
  if (saved === null) return w.t("draft_passes_unknown");
  const values = { passes: modelEnd.mtp.forwards, written: Math.max(0, modelEnd.n_tokens - 1), n: Math.abs(saved) };
  return w.t(saved < 0 ? "draft_lost" : "draft_saved", values);
}

function summary(w, step, nRounds) {
  if (!step.modelEnd?.mtp) return w.t("draft_so_far", { n: nRounds });
  const { drafted, accepted, by_place: places } = step.modelEnd.mtp;
  if (drafted === 0) return w.t("draft_none");
  const looked = places.reduce((sum, [n]) => sum + n, 0);
  const dropped = drafted > looked ? w.t("draft_summary_dropped", { n: drafted - looked }) : "";
  return w.t("draft_summary", { looked, accepted }) + dropped + passes(w, step.modelEnd);
}

function shares(w, counts) {
  const share = ([name, [looked, held]]) => w.t("draft_share", { name, held, looked, p: percent(held / looked) });
  return counts.map(share).join(" · ");
}

function byChannel(w, mtp) {
  const known = CHANNELS.filter((channel) => mtp.by_channel[channel]);
  const counts = known.map((channel) => [w.t(`draft_channel_${channel}`), mtp.by_channel[channel]]);
  return w.t("draft_by_channel", { shares: shares(w, counts) });
}

function byPlace(w, mtp) {
  const counts = mtp.by_place.map((count, place) => [w.t("draft_place", { n: place + 1 }), count]);
  return w.t("draft_by_place", { shares: shares(w, counts) });
}

/** The chips of a round, left to right. */
function chipsOf(round, tokens) {
  const guesses = round.guesses.map((guess) => ({ ...guess, text: guess.state === "held" ? tokens[guess.index].text : "" }));
  if (round.own === null) return guesses;
  const { piece, text } = tokens[round.own];
  return [...guesses, { piece, text, state: "own", index: round.own }];
}

export class DraftingLane {
  /**
   * @param {import("./run.js").Context} ctx
   * @param {import("./state.js").Run} run
   * @param {import("./state.js").Step} step
   * @param {(index: number) => void} goTo Goes to a token of the turn.
   */
  constructor(ctx, run, step, goTo) {
    Object.assign(this, { ctx, run, step, goTo, rounds: new Rounds(), drawn: 0, most: ROWS_AT_ONCE, open: true, counted: false });
    Object.assign(this, { stop: null, described: null });
    const { words } = ctx;
    const title = words.label(make("span", "lg-title"), (w) => w.t("draft_title"));
    this.facts = words.label(make("span", "lg-draft-facts"), (w) => summary(w, step, this.rounds.list.length));
    this.arrow = make("span", "lg-arrow", "▸");
    this.fold = button("lg-fold lg-draft-fold", this.arrow, title, this.facts);
    this.fold.addEventListener("click", () => this.toggle());
    this.rows = this.list();
    const how = words.label(make("p", "lg-note"), (w) => w.t("draft_how"));
    this.more = words.label(button("lg-copy"), (w) => w.t("draft_more", { n: this.rounds.list.length - this.most }));
    this.more.addEventListener("click", () => this.drawMore());
    this.body = make("div", "lg-draft-body", how, this.legend(), this.rows, this.more);
    this.element = make("section", "lg-section lg-drafting", this.fold, this.body);
    this.refresh();
  }

  legend() {
    const legend = make("p", "lg-draft-legend");
    for (const state of STATES) {
      const chip = this.ctx.words.label(make("span", `lg-guess lg-guess-${state}`), (w) => w.t(`draft_${state}`));
      const means = this.ctx.words.label(make("span"), (w) => w.t(`draft_${state}_means`));
      legend.append(make("span", "", chip, " ", means));
    }
    return legend;
  }

  list() {
    const rows = make("ol", "lg-rounds");
    this.ctx.words.label(rows, (w) => w.t("draft_rounds"), "aria-label");
    rows.addEventListener("click", (event) => this.follow(event.target.closest("button")));
    rows.addEventListener("keydown", (event) => this.onKey(event));
    // Thousands of chips would be thousands of labels: one is told what it is when somebody comes to it.
    for (const kind of ["focusin", "pointerover"]) rows.addEventListener(kind, (event) => this.describe(event.target));
    return rows;
  }

  toggle() {
    this.open = !this.open;
    this.refresh();
    this.growLast();
    this.ctx.request();
  }

  /** Shows what there is to show. Without any guess there is nothing to unfold. */
  refresh() {
    const some = this.rounds.list.length > 0;
    this.ctx.words.refresh(this.facts);
    this.fold.disabled = !some;
    show(this.arrow, some);
    show(this.body, some && this.open);
    show(this.more, this.rounds.list.length > this.most);
    this.ctx.words.refresh(this.more);
    this.fold.setAttribute("aria-expanded", String(some && this.open));
  }

  drawMore() {
    this.most += ROWS_AT_ONCE;
    this.refresh();
    this.ctx.request();
  }

  /** How many rows are to stand there. */
  get wanted() {
    return this.open ? Math.min(this.rounds.list.length, this.most) : 0;
  }

  /** Whether all that is known of the first `n` tokens is drawn. */
  isComplete(n) {
    return this.rounds.taken >= n && this.drawn >= this.wanted && (!this.step.modelEnd || this.counted);
  }

  /**
   * Draws the rounds of the first `n` tokens until the deadline; at least a few.
   * @param {number} n
   * @param {number} deadline As performance.now() counts.
   */
  draw(n, deadline) {
    if (this.isComplete(n)) return;
    this.rounds.take(this.step.tokens, n);
    if (this.step.modelEnd && !this.counted) this.addFigures();
    this.refresh();
    if (!this.open) return;
    const follows = !this.step.modelEnd && this.rows.scrollHeight - this.rows.scrollTop - this.rows.clientHeight < AT_END_PX;
    this.growLast();
    for (let i = 1; this.drawn < this.wanted; i += 1) {
      this.rows.append(this.extend(make("li", "lg-round", make("span", "lg-round-n")), this.rounds.list[this.drawn]));
      this.drawn += 1;
      if (i % CLOCK_EVERY === 0 && performance.now() >= deadline) break;
    }
    if (follows) this.rows.scrollTop = this.rows.scrollHeight;
  }

  /** The figures of the whole turn, which model_end has. */
  addFigures() {
    const { words } = this.ctx;
    const { mtp } = this.step.modelEnd;
    this.counted = true;
    if (!mtp || mtp.drafted === 0) return;
    this.rows.before(
      words.label(make("p", "lg-draft-shares"), (w) => byChannel(w, mtp)),
      words.label(make("p", "lg-draft-shares"), (w) => byPlace(w, mtp)),
    );
  }

  /** The last round that is drawn may have gained guesses since, also while the lane was folded. */
  growLast() {
    if (this.drawn > 0) this.extend(this.rows.lastElementChild, this.rounds.list[this.drawn - 1]);
  }

  /** Adds to a row what its round has gained. */
  extend(row, round) {
    const had = row.childElementCount - 1;
    row.firstChild.textContent = `+${written(round)}`;
    row.append(...chipsOf(round, this.step.tokens).slice(had).map((chip) => this.chip(chip)));
    return row;
  }

  /** A guess or the model's own token; one that stands in the text leads to it. */
  chip({ piece, text, state, index }) {
    const className = `lg-guess lg-guess-${state}`;
    const shown = visible(piece, text, this.run.start?.vocabulary);
    const chip = index === null ? make("span", className, shown) : button(className, shown);
    chip.dataset.state = state;
    if (index !== null) chip.dataset.i = String(index);
    chip.tabIndex = this.stop ? -1 : 0;
    this.stop ??= chip;
    return chip;
  }

  follow(chip) {
    if (chip) this.goTo(Number(chip.dataset.i));
  }

  /** Says what a chip is. Only one at a time is a label, which follows a switch of language. */
  describe(chip) {
    if (!chip.dataset.state || chip === this.described) return;
    if (this.described) this.undescribe(this.described);
    this.described = chip;
    const { words } = this.ctx;
    const { state } = chip.dataset;
    const means = (w) => w.t("draft_chip", { state: w.t(`draft_${state}`), means: w.t(`draft_${state}_means`) });
    tip(words, chip, means);
    words.label(chip, (w) => `${chip.textContent}: ${means(w)}`, "aria-label");
    chip.setAttribute("role", chip.matches("button") ? "button" : "note");
  }

  undescribe(chip) {
    this.ctx.words.forget(chip);
    for (const attribute of ["data-tip", "aria-description", "aria-label"]) chip.removeAttribute(attribute);
  }

  /** The arrow keys move from chip to chip; the whole list is one tab stop. */
  onKey(event) {
    const row = event.target.closest(".lg-round");
    const next = row && this.beside(row, event.target, event.key);
    if (next === undefined || next === null) return;
    event.preventDefault();
    this.stop.tabIndex = -1;
    this.stop = next;
    next.tabIndex = 0;
    next.focus();
  }

  /** @returns {HTMLElement|null|undefined} The chip to which a key leads; null at an end, undefined for other keys. */
  beside(row, chip, key) {
    const last = (of) => of?.lastElementChild ?? null;
    const first = (of) => of?.children[1] ?? null;
    const place = [...row.children].indexOf(chip);
    const across = (other) => other && other.children[Math.min(place, other.childElementCount - 1)];
    const ways = {
      ArrowRight: () => chip.nextElementSibling ?? first(row.nextElementSibling),
      ArrowLeft: () => (place > 1 ? chip.previousElementSibling : last(row.previousElementSibling)),
      ArrowDown: () => across(row.nextElementSibling),
      ArrowUp: () => across(row.previousElementSibling),
      Home: () => first(this.rows.firstElementChild),
      End: () => last(this.rows.lastElementChild),
    };
    return Object.hasOwn(ways, key) ? ways[key]() : undefined;
  }
}
