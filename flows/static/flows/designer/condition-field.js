// Turns every text area with the class `wed-predicate` into a field of a condition: enhance(root).
//
// The text area keeps its name and value and is sent with the form; without JavaScript it is what people type
// in. It has, from flows.designer.editor.widgets.ConditionTextarea:
//   data-check, data-completions     addresses of flows.designer.editor.conditions
//   data-t-no-check, data-t-out      texts, in the language of the reader
// The attributes that a condition may read are, in this order:
//   data-attributes="ID" on the text area or an element around it: the id of a JSON element with a list of
//     { name, type, kind (type for people), label, description, options }, read at each check;
//   the rows `attributes-<n>-name`, `-type`, `-label`, `-options` of the form around it (the admin's formset).
// A script that writes into the text area dispatches `change` on it; the editor dispatches `input`.
// A text area that comes near the visible part of the page gets its sentence. The editor, which is five times as
// large as all else of a page, is fetched when a text area gets the focus, and replaces it with what was typed
// meanwhile.
import { Checks } from "./condition-checks.js";
import { offset } from "./characters.js";

const PAUSE_MS = 250, NEAR = "400px";
const NOTHING = { functions: [], keywords: [], types: [] };
const found = new Map();  // the words of each address, fetched once
const checks = new Map();  // the one queue of each address
let number = 0;

const near = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) start(target);
}, { rootMargin: NEAR });

// Prepares every text area for a condition in `root`, except those of rows that are only templates.
export function enhance(root = document) {
  for (const field of root.querySelectorAll("textarea.wed-predicate")) {
    if (field.dataset.editor || field.name.includes("__prefix__") || field.closest(".empty-form")) continue;
    field.dataset.editor = "waiting";
    near.observe(field);
    field.addEventListener("focus", () => start(field), { once: true });
  }
}

function start(field) {
  if (field.dataset.editor !== "waiting") return;
  near.unobserve(field);
  field.dataset.editor = "plain";
  new ConditionField(field);
}

function words(address) {
  if (!found.has(address)) {
    const answer = fetch(address, { headers: { Accept: "application/json" }, redirect: "error" });
    found.set(address, answer.then((response) => response.ok ? response.json() : NOTHING).catch(() => NOTHING));
  }
  return found.get(address);
}

class ConditionField {
  constructor(field) {
    Object.assign(this, { field, editor: null, places: [], composing: false, timer: 0, held: 0 });
    const [box, problem, sentence] = panel(++number);
    Object.assign(this, { problem, sentence });
    this.place = box.querySelector(".condition-field");
    surround(field, box, this.place);
    describe(field, problem, sentence);
    this.follow();
    this.check();
    field.addEventListener("focus", () => this.open());
    if (document.activeElement === field) this.open();
  }

  // Fetches the editor; the text area stays usable until it is there, and for good if it cannot be fetched.
  async open() {
    const { field } = this;
    if (field.dataset.editor !== "plain") return;
    field.dataset.editor = "loading";
    try {
      const [{ edit }, known] = await Promise.all([import("./condition-editor.js"), words(field.dataset.completions)]);
      while (this.composing) await new Promise((done) => field.addEventListener("compositionend", done, { once: true }));
      field.dataset.editor = "on";
      this.editor = edit(this, known);
      this.editor.show(this.places);
    } catch {
      field.dataset.editor = "plain";
    }
  }

  // The text and, in the admin, the attributes of the form may change while the page is open.
  follow() {
    const { field } = this;
    for (const event of ["input", "change"]) field.addEventListener(event, () => this.later());
    for (const event of ["compositionstart", "compositionend"]) {
      field.addEventListener(event, () => { this.composing = event === "compositionstart"; });
    }
    field.form?.addEventListener("reset", () => this.later());
    field.form?.addEventListener("input", ({ target }) => {
      if (!/^attributes-\d+-/.test(target.name ?? "")) return;
      this.editor?.follow();
      this.later();
    });
  }

  attributes() { return attributesOf(this.field); }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), PAUSE_MS);
  }

  check() {
    const predicate = this.field.value;
    if (!predicate.trim()) { this.show({ problem: null, sentence: "" }, predicate); return; }
    const attributes = this.attributes();
    const body = {
      predicate, types: Object.fromEntries(attributes.map(({ name, type }) => [name, type])),
      labels: Object.fromEntries(attributes.filter(({ label }) => label).map(({ name, label }) => [name, label])),
    };
    queue(this.field).ask(this, body, (answer) => this.answered(answer, predicate));
  }

  // Shows an answer unless the text has changed since. While a word is being chosen from the list of completions it is
  // no error yet.
  answered(answer, text) {
    if (this.field.value !== text) return;
    if (answer.problem && this.editor?.isCompleting()) {
      clearTimeout(this.held);
      this.held = setTimeout(() => this.answered(answer, text), PAUSE_MS);
    } else this.show(answer, text);
  }

  show({ error, problem, sentence }, text) {
    this.places = places(problem, text);
    this.field.setAttribute("aria-invalid", String(Boolean(problem)));
    this.editor?.show(this.places);
    const { tOut, tNoCheck } = this.field.dataset;
    const notice = error && (error.code === "signed_out" ? tOut : error.message ?? tNoCheck);
    say(this.problem, problem ? [problem.message, problem.hint] : [notice], problem ? "wrong" : "notice");
    this.sentence.textContent = sentence ?? "";
  }
}

function places(problem, text) {
  if (!problem?.position) return [];
  const from = offset(text, problem.position);
  const to = offset(text, problem.position + (problem.length ?? 1));
  return [{ from, to: Math.max(to, Math.min(from + 1, text.length)) }];
}

// Puts the box in the place of the text area and that into it; an element that is moved loses the focus.
function surround(field, box, place) {
  const focused = document.activeElement === field;
  field.before(box);
  place.append(field);
  if (focused) field.focus({ preventScroll: true });
}

// Readers hear the problem and the sentence after the help text.
function describe(field, problem, sentence) {
  const ids = [field.getAttribute("aria-describedby"), problem.id, sentence.id];
  field.setAttribute("aria-describedby", ids.filter(Boolean).join(" "));
}

function panel(id) {
  const box = document.createElement("div");
  box.className = "condition-editor";
  box.innerHTML = `<div class="condition-parts"><div class="condition-field"></div><div class="condition-answer">
    <p class="condition-problem" aria-live="polite"></p><p class="condition-sentence"></p></div></div>`;
  const [problem, sentence] = box.querySelectorAll("p");
  problem.id = `condition-problem-${id}`;
  sentence.id = `condition-sentence-${id}`;
  sentence.lang = document.documentElement.lang;
  return [box, problem, sentence];
}

function say(element, texts, kind) {
  element.dataset.kind = kind;
  element.replaceChildren(...texts.filter(Boolean).map((text, i) => {
    const part = document.createElement(i ? "span" : "strong");
    part.textContent = i ? ` ${text}` : text;
    return part;
  }));
}

function queue(field) {
  const address = field.dataset.check;
  const token = field.form?.elements.csrfmiddlewaretoken ?? document.querySelector("[name=csrfmiddlewaretoken]");
  if (!checks.has(address)) checks.set(address, new Checks(address, token?.value ?? ""));
  return checks.get(address);
}

function attributesOf(field) {
  const given = document.getElementById(field.closest("[data-attributes]")?.dataset.attributes ?? "");
  const all = given ? JSON.parse(given.textContent) : rowsOf(field.form);
  return all.filter(({ name }) => /^[a-z][a-z0-9_]{0,62}$/.test(name));
}

function rowsOf(form) {
  const value = (row, name) => form.elements[`${row}-${name}`]?.value.trim() ?? "";
  return [...(form?.querySelectorAll("[name^=attributes-][name$=-name]") ?? [])]
    .map(({ name }) => name.slice(0, -"-name".length))
    .filter((row) => /^attributes-\d+$/.test(row) && !form.elements[`${row}-DELETE`]?.checked)
    .map((row) => ({
      name: value(row, "name"), type: value(row, "type") || "text", label: value(row, "label"),
      kind: form.elements[`${row}-type`]?.selectedOptions?.[0]?.text ?? "", description: value(row, "description"),
      options: value(row, "options").split("\n").map((option) => option.trim()).filter(Boolean),
    }));
}
