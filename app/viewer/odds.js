// What a token's numbers say: what the settings made of each candidate, and in which way the token was chosen. Pure.

// The log's probabilities have six digits, so 1/T powers of their ratios are off by 1e-5/T at most: below this temperature that
// would show in the digits that the page writes.
const COLDEST = 0.02;
// Logits that differ by less may be equal once they are divided by the temperature in float32 (if they are below 4,096), and
// top-k keeps what is equal to the k-th.
const NEARLY_EQUAL = 1e-3;

/**
 * @typedef {object} Candidate
 * @property {number} id
 * @property {string} piece
 * @property {number} p In the model's own distribution.
 * @property {boolean} kept Whether temperature, top-k and top-p left it.
 * @property {boolean} chosen
 * @property {number|null} weight What the temperature alone makes of it, as a multiple of the most likely one's; null where that
 *   is not known, and where no other setting acts, so that `after` is what the temperature makes of it.
 * @property {"temperature"|"top_k"|"top_p"|null} cutBy The setting that cut it; null where none did, or where it is not known.
 * @property {number|null} after Its probability when the token was drawn; 0 where it was cut; null where it is not known.
 */

/** Whether this is not the model's first choice. @param {object} token @returns {boolean} */
export function isUpset(token) {
  if (typeof token.rank === "number") return token.rank > 1;
  return token.top?.length > 0 && token.top[0][0] !== token.id;
}

/**
 * The candidates of a token, the most likely first; the chosen one is added where it is not among them.
 *
 * The log has p of each candidate and p_sampled of the chosen one alone. Dividing the logits by the temperature T makes each
 * probability proportional to p^(1/T); what is kept is then scaled to sum to 1, by one factor for all. So for a kept candidate
 * c and the chosen token x, after(c) = p_sampled(x) · (p(c) / p(x))^(1/T). At T = 0 the chosen one has all. The probability
 * between temperature and cuts needs the sum over the whole vocabulary, which the log does not have; the ratio of two does not.
 *
 * @param {object} token A token event.
 * @param {object} settings Of run_start.
 * @returns {Candidate[]} Empty where the backend named none.
 */
export function candidates(token, settings) {
  const rows = (token.top ?? []).map(([id, piece, p, kept]) => ({ id, piece, p, kept: Boolean(kept), chosen: id === token.id }));
  if (rows.length === 0) return [];
  if (!rows.some((row) => row.chosen) && typeof token.p === "number") {
    rows.push({ id: token.id, piece: token.piece, p: token.p, kept: true, chosen: true });
  }
  const { temperature } = settings;
  const between = temperature !== 1 && cuts(settings).length > 0;
  return rows.map((row, place) => ({
    ...row,
    weight: between ? ratio(row.p, rows[0].p, temperature) : null,
    cutBy: cutBy(place, rows, settings),
    after: after(row, token, temperature),
  }));
}

/** How many times as likely as one of probability `other` the temperature makes one of probability p; null if not known. */
function ratio(p, other, temperature) {
  return p > 0 && other > 0 && temperature >= COLDEST ? (p / other) ** (1 / temperature) : null;
}

function after(row, token, temperature) {
  if (!row.kept) return 0;
  if (row.chosen) return token.p_sampled ?? null;
  if (temperature === 0) return 0;
  const times = ratio(row.p, token.p, temperature);
  return times !== null && typeof token.p_sampled === "number" ? Math.min(1, token.p_sampled * times) : null;
}

/** The setting that cut the candidate at this place. Top-k keeps the first k and those equal to the k-th; top-p comes after. */
function cutBy(place, rows, { temperature, top_k: k, top_p: share }) {
  const { p, kept } = rows[place];
  if (kept) return null;
  if (temperature === 0) return "temperature";
  if (!(p > 0 && k >= 0 && share >= 0)) return null; // One that the model rules out is not left, whatever the settings.
  if (k === 0 || place < k) return share < 1 ? "top_p" : null;
  return share >= 1 || Math.log(rows[k - 1].p / p) > NEARLY_EQUAL ? "top_k" : null;
}

/**
 * In which way the token was chosen, as the key of a sentence.
 * @param {object} token
 * @param {object} settings Of run_start.
 * @returns {"greedy"|"only"|"only_top_k"|"only_top_p"|"top"|"rank"|"top_plain"|"rank_plain"|"unknown"} The "_plain" ones say no
 *   probabilities, because they are not known.
 */
export function happened(token, settings) {
  const placed = typeof token.rank === "number" || token.top?.length > 0;
  if (!placed) return "unknown";
  const upset = isUpset(token);
  if (settings.temperature === 0 && !upset) return "greedy";
  if (token.kept === 1) return only(settings);
  const numbers = typeof token.p === "number" && typeof token.p_sampled === "number";
  if (upset) return typeof token.rank !== "number" ? "unknown" : numbers ? "rank" : "rank_plain";
  return numbers ? "top" : "top_plain";
}

/** Why only one candidate was left: top-k, which one alone passes at any temperature, top-p, or the temperature by itself. */
function only({ top_k: k, top_p: share }) {
  if (k === 1) return "only_top_k";
  return share < 1 ? "only_top_p" : "only";
}

/**
 * The number of equally likely choices that would be as uncertain: 2^entropy.
 * @param {number} entropy In bits.
 */
export function equallyLikely(entropy) {
  return 2 ** entropy;
}

/**
 * The settings that change the odds, in the order in which they are applied.
 * @param {object} settings Of run_start.
 * @returns {{key: string, n: number}[]} Keys of the wording: setting_temperature, setting_top_k, setting_top_p.
 */
export function activeSettings(settings) {
  const active = [];
  if (typeof settings?.temperature === "number" && settings.temperature !== 1) {
    active.push({ key: "setting_temperature", n: settings.temperature });
  }
  if (settings?.top_k > 0) active.push({ key: "setting_top_k", n: settings.top_k });
  if (settings?.top_p < 1) active.push({ key: "setting_top_p", n: settings.top_p });
  return active;
}

/** Those of them that cut candidates. @param {object} settings */
export function cuts(settings) {
  return activeSettings(settings).filter(({ key }) => key !== "setting_temperature");
}
