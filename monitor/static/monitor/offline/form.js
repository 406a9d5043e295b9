// The page of a task: the same form as the connected page, filled in and completed without a connection.
import { Ask } from "../conditions.js";
import { editTables } from "../form_tables.js";
import { hasPart } from "../patterns.js";
import { TaskForm, unquoted } from "../task.js";
import { offerFollowing, typedBefore } from "./chains.js";
import { keepFiles } from "./file_fields.js";
import { el, say, show, t } from "./parts.js";
import * as store from "./store.js";
import { usable } from "./transfer.js";

const KEPT_AFTER = 500;
const NUMBERS = { numeric: /^-?\d+$/, decimal: /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i };
let release = null;

// While a form is open, no new version of the program takes over.
function holdVersion() {
  return new Promise((started) => {
    navigator.locks.request("wedsql-form", { mode: "shared" }, () => new Promise((done) => { release = done; started(); }));
  });
}

export function closeForm() {
  release?.();
  release = null;
}

const typed = (form, submitter) => [...new FormData(form, submitter)].filter(([, text]) => typeof text === "string");

// Fills in what was typed before, in rows of tables that are not there yet, too.
function fillIn(form, fields) {
  const boxes = new Set(fields.filter(([name]) => name.startsWith("list-")).map(([name]) => name.replace("list-", "value-")));
  for (const box of form.querySelectorAll("input[type=checkbox]")) if (boxes.has(box.name)) box.checked = false;
  for (const [name, text] of fields) {
    if (name === "shown" || name.startsWith("list-")) continue;
    if (name.startsWith("was-") && !boxes.has(name.replace("was-", ""))) continue;  // rows have places in the list before
    const named = () => [...form.elements].filter((one) => one.name === name && one.tagName !== "BUTTON");
    if (/^cell-/.test(name) && !named().length) addRows(form, name, named);
    for (const one of named()) {
      if (one.type === "checkbox") one.checked ||= one.value === text;
      else one.value = text;
    }
  }
}

function addRows(form, name, named) {
  const [, attribute, place] = /^cell-(.*)-(\d+)-[^-]*$/.exec(name) ?? [];
  const button = form.querySelector(`[data-attribute="${CSS.escape(attribute ?? "")}"] [data-add-row]`);
  for (let turn = 0; button && turn <= Number(place) && !named().length; turn += 1) button.click();
}

// Marks what is missing, no number or outside of the limits; the site checks the rest when it gets the result.
function wrongOnes(form) {
  const wrong = [];
  for (const one of form.elements) {
    one.removeAttribute("aria-invalid");
    if (one.type === "file" && lacksFile(one)) wrong.push(one);
    if (one.disabled || !one.name?.startsWith("value-") || one.closest("[hidden]")) continue;
    const text = one.value.trim(), kind = one.value === one.defaultValue ? undefined : NUMBERS[one.inputMode];
    const isWrong = (one.ariaRequired === "true" && !text) || (text && kind && !kind.test(text));
    if (isWrong || (one.value !== one.defaultValue && breaksLimit(one))) wrong.push(one);
  }
  for (const one of wrong) one.setAttribute("aria-invalid", "true");
  return wrong;
}

const limitsOf = (one) => JSON.parse(one.closest("[data-attribute]")?.dataset.limits ?? "{}");

// Whether a value does not keep the limits of its field, as the site checks them.
function breaksLimit(one) {
  const limits = limitsOf(one), read = one.type === "date" ? String : Number, text = unquoted(one.value.replaceAll("\r\n", "\n"));
  if (text === "") return false;
  if (limits.min !== undefined && !(read(one.value) >= read(limits.min))) return true;
  if (limits.max !== undefined && !(read(one.value) <= read(limits.max))) return true;
  const length = [...text].length;
  return length < (limits.min_length ?? 0) || length > (limits.max_length ?? Infinity) || breaksPattern(one);
}

// Whether a value has not the form of its field's pattern; where only the site can say it, it decides later.
function breaksPattern(one) {
  const { pattern } = limitsOf(one);
  if (pattern === undefined || one.value === "") return false;
  try {
    return !hasPart(unquoted(one.value.replaceAll("\r\n", "\n")), pattern);
  } catch (error) {
    if (error instanceof Ask) return false;
    throw error;
  }
}

// The labels of what is wrong, each with its limits.
function named(wrong) {
  const texts = wrong.map((one) => {
    const entry = one.closest("[data-attribute]"), label = entry?.querySelector(".label, label");
    const hint = entry?.querySelector("[id$=-limits]")?.textContent.trim()
      ?? (breaksPattern(one) ? t("wrong_pattern", limitsOf(one)) : "");
    const text = [...label?.childNodes ?? []].find((node) => node.nodeType === Node.TEXT_NODE)?.textContent.trim();
    return hint ? `${text}: ${hint}` : text;
  });
  return [...new Set(texts.filter(Boolean))].join(" ");
}

function lacksFile(input) {
  const entry = input.closest("[data-attribute]"), needed = entry.querySelector(".required");
  return !input.disabled && !entry.hidden && needed?.hidden === false && !entry.querySelector("[data-file-value]").value;
}

// Returns what ends it: what was typed is not kept any more once that has ended.
function keepTyped(person, task, form) {
  let waiting = 0, running = Promise.resolve(), isOver = false;
  const keep = () => { running = running.then(keepNow, keepNow); };
  const keepNow = async () => {
    if (!form.isConnected || isOver) return;
    await store.keepDraft(person, task, typed(form));
    form.dataset.kept = "yes";
  };
  const later = () => {
    delete form.dataset.kept;
    clearTimeout(waiting);
    waiting = setTimeout(keep, KEPT_AFTER);
  };
  for (const kind of ["input", "change"]) form.addEventListener(kind, later);
  addEventListener("pagehide", keep, { once: true });
  return {
    end: async () => { isOver = true; clearTimeout(waiting); await running.catch(() => {}); },
    goOn: () => { isOver = false; },
  };
}

// Shows a task. `corrects`: a refused result of it, whose texts are filled in.
export async function openForm(person, task, corrects, saved) {
  const made = await store.packageOf(person, task);
  if (!made || !usable(made)) { show(t("gone"), el("p", {}, t("gone_why"))).focus(); return; }
  await holdVersion();
  // First: what is typed into a form that is shown already would be replaced, and not be kept.
  const before = corrects?.result.fields ?? await store.draftOf(person, task) ?? typedBefore(made);
  const place = el("div"), error = el("div", { class: "note note-error", role: "alert", tabindex: "-1", hidden: true });
  const heading = show(made.title, error, place);
  place.innerHTML = made.html;  // the site's own template, as on the connected page
  const form = place.querySelector("[data-task-form]");
  editTables(form);
  fillIn(form, before);
  keepFiles(form, { person, task, most: made.file_most });
  if (made.conditions) {
    const live = new TaskForm(form, made.conditions);
    for (const kind of ["input", "change"]) form.addEventListener(kind, () => live.follow());
    live.follow();
  }
  const kept = keepTyped(person, task, form);
  const save = async (more) => {
    await kept.end();  // else what is being kept would come back after its result
    const about = made.after ? { after: made.after, transition: made.transition, of: made.of }
      : { task, claim: made.claim, seq: made.seq };
    const result = { ...about, ...made.via ? { via: made.via } : {}, made_at: new Date().toISOString(), ...more }, { made_at } = result;
    try {
      const number = await store.saveResult(person, { task, title: made.title, made_at, result }, corrects?.number);
      await offerFollowing(person, made, number, result);
    } catch (failure) {
      error.textContent = t(failure instanceof store.Failure ? failure.message : "not_saved");
      error.hidden = false;
      error.focus();
      kept.goOn();
      return;
    }
    closeForm();
    say(t("saved", { task: made.title }));
    saved();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const wrong = wrongOnes(form);
    error.hidden = !wrong.length;
    if (wrong.length) { error.textContent = `${t("wrong")} ${named(wrong)}`; wrong[0].focus(); return; }
    save({ outcome: event.submitter?.value || null, fields: typed(form) });
  });
  place.querySelector("[data-fail-form]").addEventListener("submit", (event) => {
    event.preventDefault();
    const reason = event.target.elements.reason.value.trim();
    if (reason) save({ reason });
  });
  heading.focus();
}
