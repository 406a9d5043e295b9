// Keeps what was typed into a form that is sent, until it is answered: when the session has ended, or the server or
// the connection fails, it is filled in again on the page of the form, for the same user and in the same tab only.
// Forms with a draft of their own (data-draft, data-own-draft) are left to it.
import { clear, read, write } from "./typed_store.js";
import { fill, identity, typedIn } from "./typed_values.js";

const FORMS = "form[method=post i]:not([data-draft], [data-own-draft], [data-log-out])";
const NOTHING = new Set();
const carried = new WeakMap(), filled = new Map();

const isSame = (one, other) => one.kind === other.kind && one.hidden === other.hidden;
const here = () => location.pathname + location.search;
const named = (one) => new Set(one.entries.map(({ name }) => name));

// Whether this page is the answer to a form, directly or after a redirect.
function isAnswer(page) {
  const [way] = performance.getEntriesByType("navigation");
  return page.dataset.method === "POST" || (way?.redirectCount ?? 0) > 0;
}

// Returns the form to which a record belongs: the one with the same hidden values, or the only one of its address.
function formOf(record, forms) {
  const alike = forms.filter((form) => identity(form).kind === record.kind);
  const exact = alike.find((form) => identity(form).hidden === record.hidden);
  if (exact) return exact;
  return alike.length === 1 && identity(alike[0]).search === record.search ? alike[0] : undefined;
}

function settle(store, state) {
  store.forms = store.forms.map((one) => (one.state === "sent" ? { ...one, state } : one));
  write(store);
}

// The forms that were sent are answered. Where the server shows one again, what was typed is still the user's.
function answered(store, forms) {
  for (const record of store.forms.filter((one) => one.state === "sent")) {
    const form = formOf(record, forms);
    if (form) carried.set(form, named(record));
  }
  store.forms = store.forms.filter((one) => one.state !== "sent");
  write(store);
}

// ---- the note

function add(place, name, text, more = {}) {
  const element = Object.assign(document.createElement(name), { textContent: text, ...more });
  place.append(element);
  return element;
}

function listLeft(note, left) {
  add(note, "p", note.dataset.tLeft);
  const list = add(note, "dl", "");
  for (const one of left) {
    add(list, "dt", one.label);
    add(list, "dd", one.texts?.join(", ") ?? one.text);
  }
}

function discard(note, undo, records) {
  const store = read();
  store.forms = store.forms.filter((one) => !records.some((other) => isSame(one, other)));
  write(store);
  for (const back of undo.toReversed()) back();
  const [form] = filled.keys();
  filled.clear();
  note.replaceChildren();
  add(note, "p", note.dataset.tDiscarded);
  (form?.querySelector("input:not([type=hidden]), select, textarea") ?? document.getElementById("main"))?.focus();
}

// ---- filling in

function restore(note, store, forms) {
  const undo = [], left = [], records = [];
  let isFilled = false;
  for (const record of store.forms) {
    const form = formOf(record, forms);
    if (!form && record.page !== here()) continue;
    records.push(record);
    if (form) filled.set(form, record);
    for (const one of record.entries) {
      const made = form && fill(form, one);
      if (made) { undo.push(made[1]); isFilled = true; } else if (one.on !== false) left.push(one);
    }
  }
  if (!records.length || !note) return;
  if (isFilled) add(note, "p", records.some((one) => one.state === "unsure") ? note.dataset.tUnsure : note.dataset.tFilled);
  if (left.length) listLeft(note, left);
  add(note, "button", note.dataset.tDiscard, { type: "button" }).addEventListener("click", () => discard(note, undo, records));
}

// ---- sending

function send(user, form) {
  const store = read(), own = identity(form), before = filled.get(form);
  store.user = user;
  store.forms = store.forms.filter((one) => !isSame(one, own) && !(before && isSame(one, before)));
  const names = new Set([...carried.get(form) ?? NOTHING, ...before ? named(before) : NOTHING]);
  const entries = typedIn(form, names);
  if (entries.length) store.forms.push({ ...own, page: here(), at: Date.now(), state: "sent", entries });
  write(store);
}

function listen(user) {
  // On the window, after the page's own listeners: a form that a script sends itself is not left by its page.
  window.addEventListener("submit", (event) => {
    if (event.target.matches("form[data-log-out]")) clear();
    else if (!event.defaultPrevented && event.target.matches(FORMS)) send(user, event.target);
  });
}

// ---- each page

function keepForLater(note, store, state) {
  settle(store, state);
  const last = store.forms.at(-1);
  if (!last || !note) return;
  add(note, "p", state === "kept" ? note.dataset.tOut : note.dataset.tError);
  if (state === "unsure") add(add(note, "p", ""), "a", note.dataset.tOpen, { href: last.page });
}

export function typed() {
  const page = document.querySelector("header[data-user], main[data-user]"), note = document.getElementById("typed");
  if (!page) return;
  const store = read(), { user } = page.dataset;
  if (user && store.user && store.user !== user) { clear(); store.forms = []; }
  if (page.dataset.page === "log-in") { keepForLater(note, store, "kept"); return; }
  if (document.querySelector("[data-error-page]")) { keepForLater(note, store, "unsure"); return; }
  if (!user) return;
  const forms = [...document.querySelectorAll(FORMS)];
  forms.forEach(identity);
  if (isAnswer(page)) answered(store, forms);
  else settle(store, "unsure");
  restore(note, store, forms);
  listen(user);
}
