// As much of a document as the viewer's modules touch, so that what they draw and where the focus goes can be tested without a
// browser. Knows no layout: an element is seen unless it, or one around it, is hidden. How it looks is for tests/browser.

class Node {
  parentElement = null;
  childNodes = [];

  get isConnected() {
    return this.getRootNode() === document.documentElement;
  }

  get children() {
    return this.childNodes.filter((node) => node instanceof Element);
  }

  get childElementCount() {
    return this.children.length;
  }

  get firstChild() {
    return this.childNodes[0] ?? null;
  }

  get lastElementChild() {
    return this.children.at(-1) ?? null;
  }

  get nextElementSibling() {
    const all = this.parentElement?.children ?? [];
    return all[all.indexOf(this) + 1] ?? null;
  }

  get textContent() {
    return this.childNodes.map((node) => node.textContent).join("");
  }

  set textContent(text) {
    this.replaceChildren(...(text === "" ? [] : [text]));
  }

  getRootNode() {
    return this.parentElement ? this.parentElement.getRootNode() : this;
  }

  contains(node) {
    return node !== null && (node === this || this.contains(node?.parentElement ?? null));
  }

  insert(at, nodes) {
    const made = nodes.map((node) => (node instanceof Node ? node : new Text(String(node))));
    for (const node of made) node.remove();
    this.childNodes.splice(at, 0, ...made);
    for (const node of made) node.parentElement = this;
  }

  append(...nodes) {
    this.insert(this.childNodes.length, nodes);
  }

  prepend(...nodes) {
    this.insert(0, nodes);
  }

  before(...nodes) {
    this.parentElement.insert(this.parentElement.childNodes.indexOf(this), nodes);
  }

  remove() {
    if (!this.parentElement) return;
    if (this.contains(document.activeElement)) document.activeElement = document.body;
    this.parentElement.childNodes = this.parentElement.childNodes.filter((node) => node !== this);
    this.parentElement = null;
  }

  replaceChildren(...nodes) {
    for (const node of [...this.childNodes]) node.remove();
    this.append(...nodes);
  }
}

class Text extends Node {
  constructor(data) {
    super();
    this.data = data;
  }

  get textContent() {
    return this.data;
  }

  appendData(data) {
    this.data += data;
  }
}

class Element extends Node {
  attributes = new Map();
  dataset = {};
  style = {};
  hidden = false;
  disabled = false;
  className = "";
  listeners = [];

  constructor(tag) {
    super();
    this.tag = tag;
  }

  get classList() {
    const names = () => this.className.split(" ").filter(Boolean);
    const set = (list) => { this.className = [...new Set(list)].join(" "); };
    return {
      contains: (name) => names().includes(name),
      add: (...more) => set([...names(), ...more]),
      remove: (...less) => set(names().filter((name) => !less.includes(name))),
      toggle: (name, on) => set(on ? [...names(), name] : names().filter((each) => each !== name)),
    };
  }

  get tabIndex() {
    return Number(this.getAttribute("tabindex") ?? (["button", "input"].includes(this.tag) ? 0 : -1));
  }

  set tabIndex(value) {
    this.setAttribute("tabindex", String(value));
  }

  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }

  setAttribute(name, value) {
    this.attributes.set(name, String(value));
  }

  removeAttribute(name) {
    this.attributes.delete(name);
  }

  /** Knows selectors of one part: tag.class.class, [attribute] or [attribute="value"], in a list with commas. */
  matches(selectors) {
    return selectors.split(",").map((each) => each.trim()).some((selector) => {
      const attribute = /^\[([\w-]+)(?:="(.*)")?\]$/.exec(selector);
      if (attribute) {
        const [, name, value] = attribute;
        return value === undefined ? this.attributes.has(name) : this.getAttribute(name) === value;
      }
      const [tag, ...classes] = selector.split(".");
      return (tag === "" || tag === this.tag) && classes.every((name) => this.classList.contains(name));
    });
  }

  closest(selectors) {
    return this.matches(selectors) ? this : this.parentElement?.closest(selectors) ?? null;
  }

  querySelectorAll(selectors) {
    return this.children.flatMap((child) => [...(child.matches(selectors) ? [child] : []), ...child.querySelectorAll(selectors)]);
  }

  querySelector(selectors) {
    return this.querySelectorAll(selectors)[0] ?? null;
  }

  getClientRects() {
    for (let node = this; node; node = node.parentElement) if (node.hidden) return [];
    return this.isConnected ? [this.getBoundingClientRect()] : [];
  }

  getBoundingClientRect() {
    return { left: 0, top: 0, right: 10, bottom: 10, width: 10, height: 10 };
  }

  scrollIntoView() {}

  addEventListener(type, listener) {
    this.listeners.push([type, listener]);
  }

  removeEventListener() {}

  focus() {
    if (this.getClientRects().length === 0 || this.disabled) return;
    document.activeElement = this;
    this.dispatch("focusin");
  }

  /** Sends an event from here up to the document. */
  dispatch(type, more = {}) {
    const path = [];
    for (let node = this; node; node = node.parentElement) path.push(node);
    const event = { type, target: this, defaultPrevented: false, composedPath: () => [...path, document], ...more };
    event.preventDefault = () => { event.defaultPrevented = true; };
    for (const node of [...path, document]) {
      for (const [kind, listener] of [...node.listeners]) if (kind === type) listener(event);
    }
    return event;
  }

  press(key) {
    return this.dispatch("keydown", { key });
  }

  click() {
    if (!this.disabled) this.dispatch("click");
  }
}

class Root extends Element {
  get activeElement() {
    return document.activeElement;
  }
}

/** A new empty page in the globals that the modules use. @returns {Element} Its body. */
export function newPage() {
  const documentElement = new Root("html");
  const body = new Element("body");
  globalThis.document = {
    documentElement, body, activeElement: body, listeners: [],
    createElement: (tag) => new Element(tag),
    createTextNode: (data) => new Text(data),
    addEventListener: (type, listener) => document.listeners.push([type, listener]),
    getSelection: () => null, elementFromPoint: () => null, scrollingElement: documentElement,
  };
  documentElement.append(body);
  globalThis.navigator ??= {}; // Node 21 and later have one, without a clipboard, too.
  Object.assign(globalThis, {
    Element, window: { innerHeight: 900 }, ResizeObserver: class { observe() {} disconnect() {} },
    getComputedStyle: () => ({ overflowY: "visible" }), requestAnimationFrame: setImmediate, cancelAnimationFrame: clearImmediate,
  });
  return body;
}
