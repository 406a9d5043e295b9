// What a user typed into a form: the values that differ from what the server rendered. Passwords, codes, files,
// hidden fields and what a page marks with data-unkept are never among them.
const NEVER = new Set(["hidden", "password", "file", "submit", "button", "reset", "image"]);
const SECRET = /one-time-code|password|^cc-/;
const BOXES = new Set(["checkbox", "radio"]);
// Hidden fields that differ each time the server renders a form say nothing of which form it is.
const TOKENS = new Set(["csrfmiddlewaretoken", "once", "token", "next"]);
const LONGEST_LABEL = 100;
const known = new WeakMap();

const isKept = (control) => control.name && control.matches("input, select, textarea") && !control.disabled
  && !NEVER.has(control.type) && !SECRET.test(control.autocomplete) && !control.closest("[data-unkept]");

const controls = (form) => [...form.elements].filter(isKept);

// A number for a text (FNV-1a), so that the values of hidden fields are compared and not kept.
const digest = (text) => [...text].reduce((sum, one) => Math.imul(sum ^ one.codePointAt(0), 16_777_619) >>> 0, 2_166_136_261);

// Returns what identifies a form: its address and its hidden values when it was first seen, before scripts change
// them. Attributes are read as such, since a control named "action" or "id" hides the form's property.
export function identity(form) {
  if (!known.has(form)) known.set(form, identified(form));
  return known.get(form);
}

function identified(form) {
  const address = new URL(form.getAttribute("action") ?? "", location.href);
  const hidden = [...form.elements].filter((one) => one.type === "hidden" && !TOKENS.has(one.name))
    .map((one) => `${one.name}=${one.value}`);
  return { kind: `${form.getAttribute("id") ?? ""} ${address.pathname}`, search: address.search, hidden: digest(hidden.join("&")) };
}

const lines = (text) => text.replace(/\r\n?/g, "\n");

// The value that a control has while nothing is typed: the browser drops what its type does not allow.
function rendered(control) {
  if (control.type === "textarea") return lines(control.defaultValue);
  const blank = control.cloneNode();
  blank.value = control.defaultValue;
  return blank.value;
}

function chosen(select) {
  const options = [...select.options], marked = options.filter((one) => one.defaultSelected);
  if (select.multiple) return marked;
  const first = select.size > 1 ? undefined : options.find((one) => !one.disabled);
  return [marked.at(-1) ?? first].filter(Boolean);
}

function isChanged(control) {
  if (BOXES.has(control.type)) return control.checked !== control.defaultChecked;
  if (!control.matches("select")) return control.value !== rendered(control);
  const before = chosen(control), now = [...control.selectedOptions];
  return before.length !== now.length || before.some((one) => !now.includes(one));
}

function entry(control, at) {
  const found = { name: control.name, at, label: (control.labels?.[0]?.innerText ?? control.name).trim().slice(0, LONGEST_LABEL) };
  if (BOXES.has(control.type)) return { ...found, text: control.value, on: control.checked };
  if (control.multiple && control.matches("select")) {
    return { ...found, texts: [...control.selectedOptions].map((one) => one.value) };
  }
  return { ...found, text: control.value };
}

// Returns what is typed in a form. Names that are carried were typed for the page before, which was sent and is
// shown again, so that they count although the server rendered them.
export function typedIn(form, carried) {
  const places = new Map(), found = [];
  for (const control of controls(form)) {
    const at = places.get(control.name) ?? 0;
    places.set(control.name, at + 1);
    if (carried.has(control.name) || isChanged(control)) found.push(entry(control, at));
  }
  return found;
}

function fillBox(group, { text, on }) {
  const box = group.find((one) => BOXES.has(one.type) && one.value === text);
  if (!box) return null;
  const { checked } = box;
  box.checked = on;
  return [box, () => { box.checked = checked; }];
}

function fillMany(select, texts) {
  if (!select?.options) return null;
  const before = [...select.options].map((one) => one.selected);
  for (const one of select.options) one.selected = texts.includes(one.value);
  return [select, () => before.forEach((on, place) => { select.options[place].selected = on; })];
}

function fillText(control, text) {
  if (!control || BOXES.has(control.type)) return null;
  const before = control.value;
  control.value = text;
  if (control.value === text) return [control, () => { control.value = before; }];
  control.value = before;
  return null;
}

// Fills one value in; returns the control and what undoes it, or null where the form has no place for it.
export function fill(form, given) {
  const group = controls(form).filter((one) => one.name === given.name);
  const made = "on" in given ? fillBox(group, given)
    : "texts" in given ? fillMany(group[given.at], given.texts) : fillText(group[given.at], given.text);
  const folded = made?.[0].closest("details:not([open])");
  if (folded) folded.open = true;
  return made;
}
