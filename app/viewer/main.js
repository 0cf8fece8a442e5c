// The viewer: draws the runs of a conversation from their event logs. A page calls mount() once and update() when its data
// change; everything else comes over HTTP (see poll.js). Read state.js first, then run.js and cards.js.

import { make } from "./dom.js";
import { Selection } from "./keys.js";
import { Popover } from "./popover.js";
import { RunView } from "./run.js";
import { Follower } from "./scroll.js";
import { Tips, tip } from "./tips.js";
import { Words } from "./words.js";

// What one frame may take for drawing; a frame at 60 a second is 16.7 ms long. Where frames come more slowly, because the machine
// is busy, each may take a quarter of the time between them: catching up must end there too.
const FRAME_MS = 10;
const FRAME_AT_MOST_MS = 100;
const WORDS_RETRY_MS = 1000;
// The page around may be in another language: this one chooses the voice that reads aloud and the shapes of Chinese characters.
const LANGUAGE_TAGS = { zh: "zh-TW", en: "en" };

/**
 * @typedef {object} Data
 * @property {string[]} runs Ids, the oldest first; the last one is the current run.
 * @property {string} url Base address of the server's routes.
 * @property {"zh"|"en"} lang
 * @property {boolean} [live] Whether the current run may still go on.
 * @property {string} [token] Lets this page stop a run.
 */

class Viewer {
  /** @param {HTMLElement} element @param {Data} data @param {(run: string) => void} onEnded */
  constructor(element, data, onEnded) {
    this.data = data;
    this.onEnded = onEnded;
    this.destroyed = false;
    this.follows = false;
    this.frame = 0;
    /** When the last frame began, if it left something to draw. @type {number|null} */
    this.unfinishedAt = null;
    /** @type {Map<string, RunView>} */
    this.views = new Map();
    this.toldEnded = new Set();
    this.registry = new WeakMap();
    this.words = new Words((lang) => this.fetchWords(lang));
    this.root = make("div", "lg-root");
    this.root.hidden = true; // Until there are a style and words: nothing is to be seen without them.
    this.styled = false;
    this.list = make("div", "lg-runs");
    this.root.append(this.list);
    this.style = this.stylesheet();
    element.append(this.style, this.root);
    this.popover = new Popover(this.root, this.words);
    this.selection = new Selection(this.root, this.registry, this.popover, this.words);
    this.tips = new Tips(this.root);
    this.follower = new Follower(element, () => this.offerNewest());
    this.ctx = this.context();
    this.useLanguage();
    this.setRuns();
  }

  stylesheet() {
    const link = make("link");
    link.rel = "stylesheet";
    link.href = new URL("./viewer.css", import.meta.url).href;
    const ready = () => {
      this.styled = true;
      this.reveal();
    };
    link.addEventListener("load", ready);
    link.addEventListener("error", ready);
    return link;
  }

  reveal() {
    this.root.lang = LANGUAGE_TAGS[this.words.lang] ?? "";
    this.root.hidden = !this.styled || !this.words.lang;
  }

  /** @returns {import("./run.js").Context} */
  context() {
    const { words } = this;
    return {
      words,
      server: () => this.data,
      request: () => this.request(),
      register: (element, behind) => this.registry.set(element, behind),
      explain: (run, span, token) => tip(words, span, (w) => {
        const purpose = w.pickFrom(run.start?.control_tokens, token) ?? w.t("control_unknown");
        return w.t("control_purpose", { token, purpose });
      }),
      ended: (run) => this.ended(run),
      toNewest: () => this.follower.toBottom(),
      goTo: (span) => this.selection.select(span),
      explainToken: (span) => {
        this.selection.select(span);
        this.selection.open();
      },
    };
  }

  async fetchWords(lang) {
    const response = await fetch(`${this.data.url}/api/words/${lang}`);
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return response.json();
  }

  /** Loads the wording of the language that is wanted, again and again until it is there. */
  async useLanguage() {
    const wanted = this.data.lang;
    try {
      await this.words.use(wanted);
      this.reveal();
      this.popover.redraw();
      this.tips.redraw();
      this.selection.describe();
      this.request();
    } catch {
      if (!this.destroyed) setTimeout(() => this.data.lang === wanted && this.useLanguage(), WORDS_RETRY_MS);
    }
  }

  setRuns() {
    const { runs } = this.data;
    for (const [id, view] of this.views) {
      if (runs.includes(id)) continue;
      view.destroy();
      this.views.delete(id);
    }
    runs.forEach((id, i) => {
      const earlier = i < runs.length - 1;
      const view = this.views.get(id);
      if (view) view.setEarlier(earlier);
      else this.addRun(id, earlier);
    });
    this.popover.keepUp();
  }

  addRun(id, earlier) {
    const goesOn = this.views.size > 0;
    const view = new RunView(this.ctx, id, earlier);
    this.views.set(id, view);
    this.list.append(view.element);
    if (goesOn && !earlier) this.follower.toBottom();
  }

  /** @returns {RunView|undefined} The view of the current run. */
  get currentView() {
    return this.views.get(this.data.runs.at(-1));
  }

  ended(run) {
    if (this.destroyed || this.toldEnded.has(run) || run !== this.data.runs.at(-1)) return;
    this.toldEnded.add(run);
    this.onEnded(run);
  }

  request() {
    if (this.frame || this.destroyed) return;
    this.frame = requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.frame = 0;
    const now = performance.now();
    const deadline = now + Math.min(FRAME_AT_MOST_MS, Math.max(FRAME_MS, (now - (this.unfinishedAt ?? now)) / 4));
    // Without wording there is nothing to say yet; the events wait.
    if (!this.words.lang) return;
    let complete = true;
    for (const view of this.views.values()) complete = view.draw(deadline) && complete;
    this.popover.keepUp();
    this.tips.redraw();
    this.keepFollowing(complete);
    this.offerNewest();
    this.unfinishedAt = complete ? null : now;
    if (!complete) this.request();
  }

  /** While the run goes on, and until its end is drawn; what was over from the start is left where the reader opens it. */
  keepFollowing(complete) {
    const running = this.data.live !== false && this.currentView?.status.running;
    if (running) this.follows = true;
    if (this.follows && !this.popover.isOpen) this.follower.keep();
    if (running || !complete) return;
    this.follows = false;
    this.selection.describe(); // Of how many tokens it is one is certain only now.
  }

  offerNewest() {
    for (const view of this.views.values()) view.offerNewest(view === this.currentView && !this.follower.atBottom);
  }

  /** @param {Data} data */
  update(data) {
    const { lang } = this.data;
    this.data = data;
    if (data.lang !== lang) this.useLanguage();
    this.setRuns();
  }

  destroy() {
    this.destroyed = true;
    cancelAnimationFrame(this.frame);
    for (const view of this.views.values()) view.destroy();
    this.selection.destroy();
    this.tips.destroy();
    this.popover.destroy();
    this.follower.destroy();
    this.style.remove();
    this.root.remove();
  }
}

/**
 * Draws a conversation inside an element.
 * @param {HTMLElement} element Empty; it may stand in a shadow root.
 * @param {Data} data
 * @param {{onEnded?: (run: string) => void}} [listeners] `onEnded` is called once a run, when the current one has ended; never
 *   before mount() has returned.
 * @returns {{update: (data: Data) => void, destroy: () => void}}
 */
export function mount(element, data, { onEnded = () => {} } = {}) {
  const viewer = new Viewer(element, data, onEnded);
  return { update: (next) => viewer.update(next), destroy: () => viewer.destroy() };
}
