// The page of a task: its form follows the conditions of its fields, and what is typed is kept on the server.
import { evaluate } from "./conditions.js";
import { sent, sending } from "./form_requests.js";
import { keepTyped } from "./form_drafts.js";
import { offerRows, sendFiles } from "./form_fields.js";
import { editTables } from "./form_tables.js";

const WORDS = ["shown", "required", "readonly"];
const TYPED = ["input", "change"];  // a list that a driver or a helper sets sends the second only
const ASKED_AFTER = 400;

// What a form does: `data` has the trees of its conditions and the present values that they read.
export class TaskForm {
  constructor(form, data) {
    this.form = form;
    this.data = data;
    this.entries = new Map([...form.querySelectorAll("[data-attribute]")].map((one) => [one.dataset.attribute, one]));
    this.answers = {};
    this.asked = "";
  }

  controls(entry) { return entry.querySelectorAll("input, select, textarea, button"); }

  // The state that conditions are about: the values that would be sent, else those that there are.
  state() {
    const found = { ...this.data.state };
    for (const [name, entry] of this.entries) {
      const control = entry.querySelector(`[name="value-${CSS.escape(name)}"]`);
      const list = entry.querySelector("[name^=list-]");
      if (!Object.hasOwn(found, name) || (list ?? control)?.disabled !== false) continue;
      if (list) { found[name] = this.listed(entry); continue; }
      found[name] = control.value === "" ? null : unquoted(control.value);
    }
    return found;
  }

  // A list matters to conditions here only as whether there is one.
  listed(entry) {
    const some = [...entry.querySelectorAll("input:not([type=hidden]), select, textarea")]
      .some((one) => (one.type === "checkbox" ? one.checked : one.value.trim()));
    return some ? "[]" : null;
  }

  letter(name, word, state) {
    const tree = this.data.conditions[name]?.[word];
    if (tree === undefined) return this.data.now[name][word];
    return (tree && evaluate(tree, state)) ?? this.unknown(name, word);
  }

  // The server's last answer, until it has answered again.
  unknown(name, word) {
    this.asks = true;
    return this.answers[name]?.[word] ?? this.data.now[name][word];
  }

  // Shows each field as its conditions say. A field that is hidden keeps its value, on which others may depend.
  follow() {
    this.asks = false;
    for (let turn = 0; turn < 10; turn += 1) {
      const state = this.state();
      let moved = false;
      for (const [name, entry] of this.entries) {
        const [shown, required, readonly] = WORDS.map((word) => this.letter(name, word, state) === "t");
        moved = this.show(entry, shown, required, readonly) || moved;
      }
      if (!moved) break;
    }
    if (this.asks) this.askLater();
  }

  show(entry, shown, required, readonly) {
    const wrong = entry.querySelector("[aria-invalid], .bad") !== null;
    const off = !shown || readonly;
    let moved = false;
    for (const one of this.controls(entry)) {
      if (one.disabled !== off) { one.disabled = off; moved = true; }
      if (one.name?.startsWith("value-") && one.type !== "checkbox" && one.type !== "hidden") one.ariaRequired = required ? "true" : null;
    }
    entry.hidden = !shown && !wrong;
    const mark = entry.querySelector(".required");
    if (mark) mark.hidden = !required;
    return moved;
  }

  askLater() {
    if (!this.form.dataset.letters) return;  // without a connection the site decides when it gets the result
    clearTimeout(this.asking);
    this.asking = setTimeout(() => this.ask(), ASKED_AFTER);
  }

  async ask() {
    const data = sending(this.form);
    const text = JSON.stringify([...data.entries()]);
    if (text === this.asked) return;
    this.asked = text;
    const found = await sent(this.form.dataset.letters, data);
    if (!found.ok) this.asked = "";  // it is asked again with the next key
    if (!found.ok || text !== JSON.stringify([...sending(this.form).entries()])) return;
    this.answers = found.body;
    this.follow();
  }
}

// A text of quotation marks only is one with two fewer, as the server reads it.
export function unquoted(text) {
  return text.length % 2 === 0 && /^'*$/.test(text) ? text.slice(0, -2) : text;
}

export function start() {
  const form = document.querySelector("[data-task-form]");
  if (!form) return;
  editTables(form);
  sendFiles(form);
  offerRows(form);
  keepTyped(form);
  document.querySelector("[data-summary]")?.focus();
  const data = document.getElementById("form-conditions");
  if (!data) return;
  const live = new TaskForm(form, JSON.parse(data.textContent));
  for (const kind of TYPED) form.addEventListener(kind, () => live.follow());
  live.follow();
}
