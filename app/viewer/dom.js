// Making elements. Text only ever goes in as text: nothing here or elsewhere in the viewer reads markup from a string.

/**
 * @param {string} tag
 * @param {string} [className]
 * @param {...(Node|string|null)} children Strings become text nodes; null is left out.
 * @returns {HTMLElement}
 */
export function make(tag, className = "", ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** A button that submits nothing. @returns {HTMLButtonElement} */
export function button(className, ...children) {
  const element = make("button", className, ...children);
  element.type = "button";
  return element;
}

/** Whether an element stands on the page and nothing around it hides it. @param {Element} element */
export function isShown(element) {
  return element.getClientRects().length > 0;
}

/** Shows or hides without taking the element out. @param {HTMLElement} element @param {boolean} shown */
export function show(element, shown) {
  element.hidden = !shown;
}
