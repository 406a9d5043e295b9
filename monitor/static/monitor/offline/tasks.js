// The list of tasks on the device: which can be performed here, what is near its deadline, and what was lost.
import { size } from "../form_fields.js";
import { stage, wrongBy } from "./clock.js";
import { room } from "./device_facts.js";
import { lossOf, showLoss } from "./losses.js";
import { el, moment, show, t } from "./parts.js";
import { usable } from "./transfer.js";

const due = (one, person) => {
  const found = stage(one, person);
  if (found === null) return null;
  const late = found === "late";
  return el("span", { class: late ? "tag bad" : "tag warn", "data-due": "" }, late ? t("late") : t("due_in", { n: found }));
};

// Which instance of which flow a task is about: by its business key, else by its number.
export const about = (one) => [one.flow, one.key || (one.instance && t("instance", { n: one.instance }))].filter(Boolean).join(" · ");

const facts = (one) => `${about(one)}${one.due_at ? ` · ${t("due")} ${moment(one.due_at)}` : ""}`;

function tagOf(one, result, loss) {
  if (result) return el("span", { class: "tag" }, t(`is_${result.state}`));
  if (loss?.tasks.includes(one.task) || (loss && !loss.unsent && one.elsewhere)) return el("span", { class: "tag warn" }, t("again"));
  return one.elsewhere ? el("span", { class: "tag" }, t("elsewhere")) : null;
}

function item(one, result, person, loss) {
  return el("li", { class: "panel pad", "data-task": one.task },
    result ? el("strong", {}, one.title) : el("a", { href: `#/tasks/${one.task}` }, one.title),
    el("div", { class: "dim small" }, facts(one)), tagOf(one, result, loss), result ? null : due(one, person));
}

const prepared = (one, person) => el("li", { class: "panel pad", "data-offer": one.task }, el("span", { class: "dim" }, one.title),
  el("div", { class: "dim small" }, facts(one)), due(one, person));

// Says how much room there is, once the browser has found out: the list does not wait for that.
function storage() {
  const made = el("p", { class: "dim small", id: "storage" });
  room().then(({ usage, free }) => {
    made.textContent = free === null ? "" : t("storage", { used: size(usage), free: size(free) });
  });
  return made;
}

// Shows the list. Until the first exchange of a person has ended, it is not known that there is nothing.
export function showTasks(person, { results, packages: found }, line, renew) {
  const loss = lossOf(person);
  const done = new Map(results.filter((one) => one.result && one.state !== "refused").map((one) => [one.task, one]));
  const locked = found.filter(usable), others = found.filter((one) => !usable(one));
  const many = locked.filter((one) => one.elsewhere && !done.has(one.task)).length, wrong = wrongBy(person);
  return show(t("tasks"), lossNote(person, renew),
    person.away ? el("p", { class: "note note-info" }, t("is_away", { until: moment(person.away.until) })) : null,
    wrong ? el("p", { class: "note note-warning", id: "clock" }, t("clock", { n: wrong })) : null,
    many && !loss ? el("p", { class: "note note-info", id: "elsewhere" }, t("elsewhere_why", { n: many })) : null,
    locked.length ? el("ul", { class: "offline-list" }, ...locked.map((one) => item(one, done.get(one.task), person, loss)))
      : el("p", { class: "dim" }, t(line === "connecting" && !person.digest ? "loading" : "no_tasks")),
    ...others.length ? [el("h2", { id: "prepared" }, t("prepared")), el("p", { class: "dim" }, t("prepared_why")),
      el("ul", { class: "offline-list", "aria-labelledby": "prepared" }, ...others.map((one) => prepared(one, person)))] : [],
    storage());
}

export function lossNote(person, renew) {
  const loss = lossOf(person);
  return loss && showLoss(loss, renew);
}

// Returns what the list shows: it is made again only when that has changed.
export const listed = (person, packages) => packages.map((one) => (
  [one.task, one.version, usable(one), one.elsewhere, stage(one, person)]));
