// What a token's numbers say: what the settings made of each candidate, and in which way the token was chosen. Pure.

/**
 * @typedef {object} Candidate
 * @property {number} id
 * @property {string} piece
 * @property {number} p In the model's own distribution.
 * @property {boolean} kept Whether temperature, top-k and top-p left it.
 * @property {boolean} chosen
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
 * c and the chosen token x, after(c) = p_sampled(x) · (p(c) / p(x))^(1/T). At T = 0 the chosen one has all.
 *
 * @param {object} token A token event.
 * @param {number|undefined} temperature As in the run's settings.
 * @returns {Candidate[]} Empty where the backend named none.
 */
export function candidates(token, temperature) {
  const rows = (token.top ?? []).map(([id, piece, p, kept]) => ({ id, piece, p, kept: Boolean(kept), chosen: id === token.id }));
  if (rows.length === 0) return [];
  if (!rows.some((row) => row.chosen) && typeof token.p === "number") {
    rows.push({ id: token.id, piece: token.piece, p: token.p, kept: true, chosen: true });
  }
  return rows.map((row) => ({ ...row, after: after(row, token, temperature) }));
}

function after(row, token, temperature) {
  if (!row.kept) return 0;
  if (row.chosen) return token.p_sampled ?? null;
  if (temperature === 0) return 0;
  const known = typeof token.p_sampled === "number" && token.p > 0 && typeof temperature === "number";
  return known ? Math.min(1, token.p_sampled * (row.p / token.p) ** (1 / temperature)) : null;
}

/**
 * In which way the token was chosen, as the key of a sentence.
 * @param {object} token
 * @param {number|undefined} temperature
 * @returns {"greedy"|"only"|"top"|"rank"|"top_plain"|"rank_plain"|"unknown"} The "_plain" ones say no probabilities, because
 *   they are not known.
 */
export function happened(token, temperature) {
  const placed = typeof token.rank === "number" || token.top?.length > 0;
  if (!placed) return "unknown";
  const upset = isUpset(token);
  if (temperature === 0 && !upset) return "greedy";
  if (token.kept === 1) return "only";
  const numbers = typeof token.p === "number" && typeof token.p_sampled === "number";
  if (upset) return typeof token.rank !== "number" ? "unknown" : numbers ? "rank" : "rank_plain";
  return numbers ? "top" : "top_plain";
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
