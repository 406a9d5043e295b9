// Change elements in place to match what the server sent: an element with the same meaning stays the same
// node, so that a press, the focus and a selection survive. The journal can undo each change.

export class Journal {
  constructor() { this.undo = []; }

  attribute(element, name, value) {
    const was = element.getAttribute(name);
    if (was === value) return;
    const set = (text) => (text === null ? element.removeAttribute(name) : element.setAttribute(name, text));
    set(value);
    this.undo.push(() => set(was));
  }

  text(node, value) {
    const was = node.data;
    if (was === value) return;
    node.data = value;
    this.undo.push(() => { node.data = was; });
  }

  insert(parent, node, before) {
    const { parentNode, nextSibling } = node;
    parent.insertBefore(node, before);
    this.undo.push(() => (parentNode ? parentNode.insertBefore(node, nextSibling) : node.remove()));
  }

  remove(node) {
    const { parentNode, nextSibling } = node;
    node.remove();
    this.undo.push(() => parentNode.insertBefore(node, nextSibling));
  }

  takeBack() {
    while (this.undo.length) this.undo.pop()();
  }
}

// What identifies an element, whatever its text; for a link, its target.
function identity(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return "";
  return node.id || node.dataset.key || node.getAttribute("href") || "";
}

const alike = (a, b) => a.nodeName === b.nodeName && identity(a) === identity(b);
const keptByItsClock = (node) => node.matches?.("time[data-age]");

// Pairs of each fresh child and the old child that matches it, or null.
function twins(old, fresh) {
  const left = [...old.childNodes];
  return [...fresh.childNodes].map((next) => {
    const at = left.findIndex((candidate) => alike(candidate, next));
    return [next, at < 0 ? null : left.splice(at, 1)[0]];
  });
}

// Pairs of an old child and its fresh version, of the children that differ.
export function pairs(old, fresh) {
  return twins(old, fresh).filter(([next, twin]) => twin && !twin.isEqualNode(next)).map(([next, twin]) => [twin, next]);
}

export function morph(old, fresh, journal) {
  if (old.nodeType !== Node.ELEMENT_NODE) return journal.text(old, fresh.data);
  attributes(old, fresh, journal);
  if (!keptByItsClock(old)) children(old, fresh, journal);
  return undefined;
}

function attributes(old, fresh, journal) {
  const names = new Set([...old.getAttributeNames(), ...fresh.getAttributeNames()]);
  names.delete("style");
  if (old.nodeName === "DETAILS") names.delete("open");
  for (const name of names) {
    const lit = name === "class" && old.classList.contains("flash");
    const value = fresh.getAttribute(name);
    journal.attribute(old, name, lit ? `${value ?? ""} flash` : value);
  }
}

function children(old, fresh, journal) {
  const matched = twins(old, fresh);
  const stay = new Set(matched.map(([, twin]) => twin));
  for (const child of [...old.childNodes]) if (!stay.has(child)) journal.remove(child);
  let place = old.firstChild;
  for (const [next, twin] of matched) {
    if (twin) morph(twin, next, journal);
    // An element that moves loses the focus, so the text around it moves instead.
    if (twin) while (place !== twin && place?.nodeType === Node.TEXT_NODE) place = place.nextSibling;
    if (twin && twin === place) place = place.nextSibling;
    else journal.insert(old, twin ?? next.cloneNode(true), place);
  }
}
