// The viewer's wording: a table from the server, and every label that was drawn with it, so that a switch of language rewrites
// the labels where they stand and nothing else: scroll position, selection and an open popover stay.

/**
 * Fills a text's {places}. "{n:token|tokens}" chooses by whether n is 1.
 * @param {string} text
 * @param {Record<string, string|number>} values
 */
export function fillIn(text, values = {}) {
  return text.replaceAll(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (place, name, one, many) => {
    if (!Object.hasOwn(values, name)) return place;
    if (one === undefined) return String(values[name]);
    return Number(values[name]) === 1 ? one : many;
  });
}

export class Words {
  /** @param {(lang: string) => Promise<Record<string, string>>} fetchTable */
  constructor(fetchTable) {
    this.fetchTable = fetchTable;
    this.lang = "";
    this.wanted = "";
    this.table = {};
    /** @type {Map<Node, {attribute: string|null, fill: (words: Words) => string}[]>} */
    this.labels = new Map();
  }

  /**
   * Loads a language and rewrites every label in it; of two that are asked for at once, the later one stays.
   * @param {string} lang
   */
  async use(lang) {
    this.wanted = lang;
    const table = await this.fetchTable(lang);
    if (this.wanted !== lang) return;
    this.table = table;
    this.lang = lang;
    for (const node of this.labels.keys()) this.refresh(node);
  }

  /** The text of `key`, its places filled. A key that the server does not know is shown itself, so that it is found. */
  t(key, values) {
    return fillIn(this.table[key] ?? key, values);
  }

  has(key) {
    return Object.hasOwn(this.table, key);
  }

  /** The wording of a text that the log carries in both languages. @param {{zh: string, en: string}} text */
  pick(text) {
    return this.lang === "zh" ? text.zh : text.en;
  }

  /** The same under a key of a table that the log carries; null where it says nothing. @param {object|null|undefined} table */
  pickFrom(table, key) {
    const text = table && Object.hasOwn(table, key) ? table[key] : null;
    return text ? this.pick(text) : null;
  }

  /**
   * Makes `node` a label: `fill` writes its text, or the named attribute, now and after each switch of language.
   * @template {Node} T
   * @param {T} node
   * @param {(words: Words) => string} fill
   * @param {string|null} [attribute]
   * @returns {T}
   */
  label(node, fill, attribute = null) {
    const entry = { attribute, fill };
    const known = this.labels.get(node);
    if (known) known.push(entry);
    else this.labels.set(node, [entry]);
    this.write(node, entry);
    return node;
  }

  /** Writes a label again, because what it tells has changed. */
  refresh(node) {
    for (const entry of this.labels.get(node) ?? []) this.write(node, entry);
  }

  /** Forgets the labels in a part of the page that is thrown away. @param {Node} root */
  forget(root) {
    for (const node of this.labels.keys()) if (root.contains(node)) this.labels.delete(node);
  }

  write(node, { attribute, fill }) {
    const text = fill(this);
    if (attribute !== null) node.setAttribute(attribute, text);
    else if (node.textContent !== text) node.textContent = text;
  }
}
