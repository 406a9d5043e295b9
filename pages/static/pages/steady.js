// Keeps what the user is reading in place: a change that would move or replace the element under the pointer
// or with the focus is undone before it is painted, and waits. The page shows how many wait; a click applies
// them.
import { Journal, morph, pairs } from "./morph.js";
import { refreshAges } from "./ages.js";

// For so long after its last move the pointer may be on its way to any element.
const AIMING_MS = 700;
const SHIFT_PX = 1;
const HANDLES = "a[href], button, summary, input, select, textarea";
const THINGS = `${HANDLES}, tr, li, section, [id], [data-part]`;

let pointer = null;
let movedAt = -Infinity;
let timer = 0;
const waiting = new Map();

// ---- what must not move

function underPointer() {
  if (!pointer) return null;
  const found = document.elementFromPoint(pointer.x, pointer.y);
  return found?.closest(HANDLES) ?? found?.closest(THINGS) ?? null;
}

function focused() {
  const active = document.activeElement;
  return active && active !== document.body && !active.matches("main, [role=region]") ? active : null;
}

function onScreen(element) {
  const at = element.getBoundingClientRect();
  return at.width > 0 && at.bottom > 0 && at.top < innerHeight;
}

function anchors() {
  const under = underPointer();
  const focus = focused();
  const all = new Set([under, focus]);
  const aiming = pointer && performance.now() - movedAt < AIMING_MS;
  if (aiming) for (const handle of document.querySelectorAll(HANDLES)) if (onScreen(handle)) all.add(handle);
  all.delete(null);
  return { under, focus, places: [...all].map((element) => [element, element.getBoundingClientRect()]) };
}

function disturbed({ under, focus, places }) {
  if (underPointer() !== under || focused() !== focus) return true;
  return places.some(([element, was]) => {
    const now = element.getBoundingClientRect();
    const shifted = Math.abs(now.left - was.left) > SHIFT_PX || Math.abs(now.top - was.top) > SHIFT_PX;
    return !element.isConnected || shifted;
  });
}

// ---- a change: {name, make(journal), blocked?(), parts?(), done?(), announced?}

// The change that turns an element of the page into what the server sent for it.
export function becoming(name, old, fresh, done) {
  return {
    name,
    make: (journal) => morph(old, fresh, journal),
    blocked: () => selected(old),
    parts: () => (old.childNodes.length ? pairs(old, fresh).map(([a, b]) => becoming(name, a, b)) : []),
    done,
  };
}

function selected(node) {
  const selection = document.getSelection();
  return !selection.isCollapsed && selection.containsNode(node, true);
}

function attempt(changes) {
  const before = anchors();
  const journal = new Journal();
  for (const change of changes) change.make(journal);
  if (!disturbed(before)) return true;
  journal.takeBack();
  if (before.focus && document.activeElement !== before.focus) before.focus.focus({ preventScroll: true });
  return false;
}

// Apply the whole change, or else the parts of it that move nothing.
function settle(change) {
  if (!change.blocked?.() && attempt([change])) return true;
  change.parts?.().forEach(settle);
  return false;
}

export function update(changes) {
  if (!changes.length) return;
  const whole = !changes.some((change) => change.blocked?.()) && attempt(changes);
  const good = new Set(whole ? changes : changes.filter(settle));
  for (const change of changes) {
    waiting.delete(change.name);
    if (good.has(change)) change.done?.();
    else waiting.set(change.name, change);
  }
  refreshAges();
  announce();
}

// Apply now, whatever it moves, because the user asked for it.
export function force(changes) {
  for (const change of changes) {
    change.make(new Journal());
    change.done?.();
    waiting.delete(change.name);
  }
  refreshAges();
  announce();
}

// ---- waiting changes

function announce() {
  const button = document.getElementById("held");
  const count = [...waiting.values()].filter((change) => !change.announced).length;
  button.hidden = count === 0;
  button.textContent = button.dataset.t.replace("#", count);
  if (button.hidden || !pointer) return;
  button.classList.toggle("left", pointer.x > innerWidth / 2);
}

function again(delay) {
  clearTimeout(timer);
  timer = setTimeout(() => { if (waiting.size) { update([...waiting.values()]); again(AIMING_MS); } }, delay);
}

function at(event) {
  pointer = { x: event.clientX, y: event.clientY };
  movedAt = performance.now();
  again(AIMING_MS);
}

function away() {
  pointer = null;
  again(0);
}

export function steady() {
  document.addEventListener("pointermove", at, { passive: true });
  document.addEventListener("pointerdown", at, { passive: true });
  // A finger leaves with the click that follows, a mouse with the window.
  document.addEventListener("pointerup", (event) => { if (event.pointerType !== "mouse") setTimeout(away); });
  document.documentElement.addEventListener("pointerleave", away);
  document.addEventListener("focusin", () => again(0));
  document.addEventListener("focusout", () => again(0));
  document.addEventListener("selectionchange", () => again(AIMING_MS));
  document.getElementById("held")?.addEventListener("click", () => force([...waiting.values()]));
}
