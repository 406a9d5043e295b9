// Keeps what was typed into a form: on the server two seconds after the last key, and in this tab until then, so
// that a session that has ended loses nothing.
import { sent, sending } from "./form_requests.js";
import { layRows } from "./form_tables.js";

const KEPT_AFTER = 2000, TYPED = ["input", "change"];
// What the controls were made from goes with them: the places of rows are those of the list before.
const NAME = /^(?:value|list|cell|was-value)-(.+?)(?:-\d+-.+)?$/;

// The attribute of a control.
function attributeOf(control) {
  return control.closest("[data-attribute]")?.dataset.attribute ?? NAME.exec(control.name ?? "")?.[1];
}

class Draft {
  constructor(form) {
    this.form = form;
    this.mark = form.querySelector("[data-kept]");
    this.problem = form.querySelector("[data-kept-problem]");
    this.key = `task-${form.dataset.task}`;
    this.touched = new Set();
    this.typed = false;
    this.over = false;
  }

  data() {
    const data = sending(this.form);
    data.set("touched", [...this.touched].join(" "));
    return data;
  }

  report(text) {
    this.problem.textContent = text ?? "";
    this.problem.hidden = !text;
  }

  later() {
    this.typed = true;
    this.mark.hidden = true;
    this.store();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.keep(), KEPT_AFTER);
  }

  async keep() {
    if (!this.typed || this.over) return;
    this.typed = false;
    const found = await sent(this.form.dataset.draft, this.data());
    const texts = this.form.dataset;
    if (!found.ok) this.typed = true;
    if (found.ok) {
      this.mark.hidden = !found.body.kept || this.typed;
      if (!this.typed) this.forget();
      this.report(found.body.others ? texts.tOther : "");
    } else if (found.out) this.report(texts.tOut);
    else if (found.body.error) {
      this.report(found.body.error);
      this.over = found.status === 403 || found.status === 404 || found.status === 409;
    } else this.report(found.offline ? texts.tOffline : texts.tGone);
  }

  // What is typed and not on the server yet, for this tab.
  store() {
    const entries = [...sending(this.form).entries()].filter(([name]) => NAME.test(name));
    const { person } = this.form.dataset;
    const kept = { person, claim: this.form.elements.claim.value, touched: [...this.touched], entries };
    try {
      sessionStorage.setItem(this.key, JSON.stringify(kept));
    } catch { /* there is no room or no storage: the server has it in two seconds */ }
  }

  forget() { try { sessionStorage.removeItem(this.key); } catch { /* there is no storage */ } }

  // Fills in again what was typed when the session ended.
  restore() {
    let kept = null;
    try { kept = JSON.parse(sessionStorage.getItem(this.key)); } catch { /* there is none */ }
    this.forget();
    if (kept?.person !== this.form.dataset.person || kept.claim !== this.form.elements.claim.value) return;
    if ("sent" in this.form.dataset) { this.again(kept.touched); return; }
    const texts = new Map();
    for (const [name, text] of kept.entries) texts.set(name, [...(texts.get(name) ?? []), text]);
    let filled = false;
    for (const attribute of kept.touched) filled = this.fill(attribute, texts) || filled;
    if (!filled) return;
    this.form.dispatchEvent(new Event("change", { bubbles: true }));
    this.report(this.form.dataset.tRestored);
    this.later();
  }

  // The server shows again what was sent, with what is wrong: this is newer than what this tab has.
  again(touched) {
    for (const attribute of touched) this.touched.add(attribute);
    this.later();
  }

  fill(attribute, texts) {
    const entry = this.form.querySelector(`[data-attribute="${CSS.escape(attribute)}"]`) ?? this.form;
    layRows(entry, [...texts.keys()].filter((name) => name.startsWith(`cell-${attribute}-`)));
    let filled = false;
    for (const one of entry.querySelectorAll("input, select, textarea")) {
      if (!NAME.test(one.name) || NAME.exec(one.name)[1] !== attribute || one.name.startsWith("list-")) continue;
      const given = texts.get(one.name) ?? [];
      if (one.type === "checkbox") {
        const on = given.includes(one.value);
        filled ||= one.checked !== on;
        one.checked = on;
      } else if (given.length && one.value !== given[0]) {
        one.value = given[0];
        filled = true;
      }
    }
    if (filled) this.touched.add(attribute);
    return filled;
  }
}

export function keepTyped(form) {
  const draft = new Draft(form);
  draft.restore();
  for (const kind of TYPED) {
    form.addEventListener(kind, (event) => {
      const name = attributeOf(event.target);
      if (!name || event.target.type === "file") return;
      draft.touched.add(name);
      draft.later();
    });
  }
  setInterval(() => draft.keep(), 5 * KEPT_AFTER);
  form.addEventListener("submit", () => {
    if (draft.typed) draft.store();
    draft.typed = false;
    clearTimeout(draft.waiting);
    let field = form.elements.touched;
    if (!field) {
      field = Object.assign(document.createElement("input"), { type: "hidden", name: "touched" });
      form.append(field);
    }
    field.value = [...draft.touched].join(" ");
  });
  addEventListener("pagehide", () => {
    if (draft.typed && !draft.over) navigator.sendBeacon?.(form.dataset.draft, draft.data());
  });
}
