// Fields of the form of a task that ask the server: files, which are sent when they are chosen, and the rows of
// queries, which are searched and chosen by keyboard.
import { sent, sending } from "./form_requests.js";

const SEARCHED_AFTER = 250;
const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];

export function size(bytes) {
  const power = Math.min(Math.max(Math.floor(Math.log10(bytes) / 3), 0), UNITS.length - 1);
  const format = { style: "unit", unit: UNITS[power], unitDisplay: "short", maximumFractionDigits: 1 };
  return new Intl.NumberFormat(document.documentElement.lang, format).format(bytes / 1e3 ** power);
}

export class FileField {
  constructor(field, form) {
    this.field = field;
    this.form = form;
    this.input = field.querySelector("[type=file]");
    this.value = field.querySelector("[data-file-value]");
    this.now = field.querySelector("[data-file-now]");
    this.status = field.querySelector("[data-file-status]");
    this.button = field.querySelector("[data-file-remove]");
    this.button.hidden = !this.value.value;
    this.input.addEventListener("change", () => this.send());
    this.button.addEventListener("click", () => { this.show("", null); this.input.focus(); });
  }

  say(text, bad = false) {
    this.status.textContent = text;
    this.status.classList.toggle("bad", bad);
    this.input.ariaInvalid = bad ? "true" : null;
  }

  async send() {
    const file = this.input.files[0], texts = this.field.dataset;
    if (!file) return;
    if (Number(texts.most) && file.size > Number(texts.most)) { this.input.value = ""; this.say(texts.tLarge, true); return; }
    const data = new FormData();
    data.set("csrfmiddlewaretoken", this.form.elements.csrfmiddlewaretoken.value);
    data.set("file", file);
    this.say(texts.tSending);
    const found = await sent(texts.file, data);
    if (!found.ok) { this.say(found.body.error ?? texts.tFailed, true); return; }
    this.input.value = "";
    this.show(found.body.text, found.body.file);
  }

  named(file) {
    const link = Object.assign(document.createElement("a"), { textContent: file.name });
    link.href = `${this.field.dataset.file}?sha256=${file.sha256}`;
    return link;
  }

  show(text, file) {
    this.value.value = text;
    this.say("");
    this.now.replaceChildren();
    if (file) {
      const about = Object.assign(document.createElement("span"), { className: "dim small", textContent: size(file.size) });
      this.now.append(this.named(file), " ", about);
    }
    this.button.hidden = !text;
    this.value.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

class QueryField {
  constructor(field, form) {
    this.field = field;
    this.form = form;
    this.input = field.querySelector("input");
    this.list = field.querySelector("ul");
    this.status = field.querySelector("[data-query-status]");
    this.turn = 0;
    this.input.role = "combobox";
    this.input.ariaAutoComplete = "list";
    this.input.setAttribute("aria-controls", this.list.id);
    this.close();
    this.input.addEventListener("input", () => this.later());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("click", () => { if (this.list.hidden) this.ask(""); });
    this.input.addEventListener("blur", () => this.close());
    this.list.addEventListener("mousedown", (event) => {
      event.preventDefault();
      this.choose(event.target.closest("[role=option]"));
    });
  }

  later() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.ask(this.input.value), SEARCHED_AFTER);
  }

  async ask(search) {
    const turn = ++this.turn, data = sending(this.form), texts = this.field.dataset;
    data.set("of", texts.query);
    data.set("search", search);
    const found = await sent(this.form.dataset.choices, data);
    if (turn !== this.turn || document.activeElement !== this.input) return;
    this.close();
    if (!found.ok) { this.say(found.body.error ?? texts.tFailed, true); return; }
    const { items, complete } = found.body;
    this.list.replaceChildren(...items.map((item, place) => this.option(item, place)));
    this.list.hidden = !items.length;
    this.input.ariaExpanded = String(items.length > 0);
    const count = texts.tCount.replace("%(count)s", items.length);
    this.say(!items.length ? texts.tNone : complete ? count : `${count}. ${texts.tMore}`);
  }

  option(item, place) {
    const one = document.createElement("li");
    one.role = "option";
    one.id = `${this.list.id}-${place}`;
    one.dataset.value = item.value;
    one.append(Object.assign(document.createElement("b"), { textContent: item.value }));
    for (const text of item.texts) if (text) one.append(Object.assign(document.createElement("span"), { textContent: text }));
    return one;
  }

  say(text, bad = false) {
    this.status.textContent = text;
    this.status.classList.toggle("bad", bad);
  }

  close() {
    this.list.hidden = true;
    this.input.ariaExpanded = "false";
    this.input.removeAttribute("aria-activedescendant");
  }

  mark(option) {
    for (const one of this.list.children) one.ariaSelected = String(one === option);
    this.input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  choose(option) {
    if (!option) return;
    this.input.value = option.dataset.value;
    this.turn += 1;
    clearTimeout(this.waiting);
    this.close();
    this.say([...option.querySelectorAll("span")].map((one) => one.textContent).join(" · "));
    this.input.dispatchEvent(new Event("change", { bubbles: true }));
  }

  key(event) {
    const options = [...this.list.children], open = !this.list.hidden;
    const at = options.findIndex((one) => one.id === this.input.getAttribute("aria-activedescendant"));
    const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? options.length - 1 : at - 1 }[event.key];
    if (to !== undefined && !event.altKey) {
      event.preventDefault();
      if (!open) this.ask("");
      else this.mark(options[(to + options.length) % options.length]);
    } else if (event.key === "Enter" && open && at >= 0) {
      event.preventDefault();
      this.choose(options[at]);
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      this.close();
    }
  }
}

export function sendFiles(form) {
  for (const field of form.querySelectorAll("[data-file]")) new FileField(field, form);
}

export function offerRows(form) {
  for (const field of form.querySelectorAll("[data-query]")) new QueryField(field, form);
}
