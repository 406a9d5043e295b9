// The page of a result: what is in it, with the files that are still here.
import { size } from "../form_fields.js";
import { download } from "./outbox.js";
import { el, moment, show, t } from "./parts.js";
import * as store from "./store.js";

// Shows what a result of this device has, as its form was filled in.
export async function showResult(person, number) {
  const one = (await store.outbox(person)).find((each) => each.number === number);
  const back = el("p", {}, el("a", { href: "#/outbox" }, t("outbox")));
  if (!one) return show(t("outbox"), el("p", {}, t("result_gone")), back);
  const content = one.result ?? one.sent ?? {}, names = await labelled(person, one.task);
  const facts = [[t("state"), t(`is_${one.state}`)], [t("made"), moment(one.made_at)]];
  if (content.outcome) facts.push([t("outcome"), content.outcome]);
  if (content.reason) facts.push([t("reason"), content.reason]);
  const rows = await Promise.all(filled(content.fields ?? []).map(([name, text]) => entry(person, one, names(name), [name, text])));
  return show(`${one.number}. ${one.title}`, el("dl", { class: "facts panel pad", id: "result" },
    ...[...facts, ...rows].map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))), back);
}

// Returns the fields that have a value: those of a form, and the cells of its tables.
const filled = (fields) => fields.filter(([name, text]) => /^(value|cell)-/.test(name) && text !== "");

// Returns what names a field: its label in the form of the task, while that is here.
async function labelled(person, task) {
  const place = document.createElement("div"), made = await store.packageOf(person, task);
  place.innerHTML = made?.html ?? "";
  return (field) => {
    const [, attribute, cell] = /^(?:value|cell)-(.+?)(?:-(\d+-[^-]+))?$/.exec(field);
    const label = place.querySelector(`[data-attribute="${CSS.escape(attribute)}"]`)?.querySelector(".label, label");
    const text = [...label?.childNodes ?? []].find((node) => node.nodeType === Node.TEXT_NODE)?.textContent.trim();
    return `${text || attribute}${cell ? ` (${cell})` : ""}`;
  };
}

async function entry(person, { task }, name, field) {
  const [file] = store.filesIn([field]), kept = file && await store.fileOf(person, task, file.key);
  if (!file) return [name, field[1]];
  const said = `${file.name} (${size(file.size)})`;
  if (!kept) return [name, said];
  return [name, el("button", { type: "button", class: "small", onclick: () => download(file.name, new Blob([kept.bytes])) }, said)];
}
