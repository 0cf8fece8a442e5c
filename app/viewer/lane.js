// The drafting lane of a step: what was guessed in each round, what held, and what the model wrote instead.

import { roundsOf, passesSaved } from "./drafts.js";
import { button, make, show } from "./dom.js";
import { percent, visible } from "./numbers.js";

const ROWS_AT_ONCE = 100;
const CHANNELS = ["thought", "tool_call", "content", "control"];

function summary(w, modelEnd) {
  const { drafted, accepted } = modelEnd.mtp;
  if (drafted === 0) return w.t("draft_none");
  const saved = passesSaved(modelEnd);
  const held = w.t("draft_summary", { drafted, accepted });
  return saved === null ? held : held + w.t("draft_saved", { n: saved, passes: modelEnd.mtp.forwards });
}

function shares(w, counts) {
  return counts.map(([name, [looked, held]]) => w.t("draft_share", { name, held, looked, p: percent(held / looked) })).join(" · ");
}

function byChannel(w, mtp) {
  const known = CHANNELS.filter((channel) => mtp.by_channel[channel]);
  return shares(w, known.map((channel) => [w.t(`draft_channel_${channel}`), mtp.by_channel[channel]]));
}

function byPlace(w, mtp) {
  return shares(w, mtp.by_place.map((counts, place) => [w.t("draft_place", { n: place + 1 }), counts]));
}

export class DraftingLane {
  /**
   * @param {import("./run.js").Context} ctx
   * @param {import("./state.js").Step} step Its turn must have ended.
   * @param {(index: number) => void} goTo Goes to a token of the turn.
   */
  constructor(ctx, step, goTo) {
    Object.assign(this, { ctx, step, goTo, rounds: null, drawn: 0 });
    const { words } = ctx;
    const { modelEnd } = step;
    const title = words.label(make("span", "lg-title"), (w) => w.t("draft_title"));
    const facts = words.label(make("span", "lg-draft-facts"), (w) => summary(w, modelEnd));
    this.fold = button("lg-fold lg-draft-fold", make("span", "lg-arrow", "▸"), title, facts);
    this.fold.setAttribute("aria-expanded", "false");
    this.fold.addEventListener("click", () => this.toggle());
    this.rows = make("ol", "lg-rounds");
    this.more = words.label(button("lg-more"), (w) => w.t("draft_more", { n: (this.rounds?.length ?? 0) - this.drawn }));
    this.more.addEventListener("click", () => this.drawMore());
    this.body = make("div", "lg-draft-body");
    if (modelEnd.mtp.drafted > 0) {
      this.body.append(
        words.label(make("p", "lg-note"), (w) => w.t("draft_how")),
        words.label(make("p", "lg-draft-shares"), (w) => byChannel(w, modelEnd.mtp)),
        words.label(make("p", "lg-draft-shares"), (w) => byPlace(w, modelEnd.mtp)),
        this.rows, this.more,
      );
    }
    show(this.body, false);
    this.element = make("section", "lg-section lg-drafting", this.fold, this.body);
  }

  toggle() {
    const opened = this.body.hidden;
    show(this.body, opened);
    this.fold.setAttribute("aria-expanded", String(opened));
    if (opened && this.rounds === null) this.drawMore();
  }

  drawMore() {
    this.rounds ??= roundsOf(this.step.tokens);
    const next = this.rounds.slice(this.drawn, this.drawn + ROWS_AT_ONCE);
    this.rows.append(...next.map((round) => this.row(round)));
    this.drawn += next.length;
    show(this.more, this.drawn < this.rounds.length);
    this.ctx.words.refresh(this.more);
  }

  row(round) {
    const chips = round.guesses.map((guess) => this.chip(guess.piece, `lg-guess-${guess.state}`, `draft_${guess.state}`, guess.index));
    if (round.own !== null) {
      const token = this.step.tokens[round.own];
      chips.push(this.chip(token.piece, "lg-guess-own", "draft_own", round.own, token.text));
    }
    return make("li", "lg-round", ...chips);
  }

  /** A guess or the model's own token; one that stands in the text leads to it. */
  chip(piece, className, key, index, text) {
    const shown = visible(piece, text);
    const chip = index === null ? make("span", `lg-guess ${className}`, shown) : button(`lg-guess ${className}`, shown);
    this.ctx.words.label(chip, (w) => w.t(key), "title");
    if (index !== null) chip.addEventListener("click", () => this.goTo(index));
    return chip;
  }
}
