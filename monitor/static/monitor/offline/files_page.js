// The page for files: tasks go to another device of the person, which has no connection, and its results come back.
import { size } from "../form_fields.js";
import { download } from "./outbox.js";
import { fileOfResults, fileOfTasks, MOST, openedFile, takeTasks, Unopened } from "./package_files.js";
import { el, say, show, t } from "./parts.js";
import { Rejected } from "./requests.js";
import * as store from "./store.js";
import { sendFor } from "./sync.js";
import { usable } from "./transfer.js";

// Shows the page; `renew` exchanges with the site.
export async function showFiles(person, renew) {
  const results = await store.outbox(person), unsent = results.filter((one) => store.UNSENT.includes(one.state));
  const done = new Set(results.filter((one) => one.result && one.state !== "refused").map((one) => one.task));
  const tasks = (await store.packages(person)).filter((one) => one.task > 0 && usable(one) && !done.has(one.task));
  const error = el("div", { class: "note note-error", role: "alert", tabindex: "-1", id: "file-error", hidden: true });
  const trying = (work) => async (event) => {
    event.preventDefault();
    error.hidden = true;
    try {
      await work(event);
    } catch (failure) {
      error.textContent = reasonOf(failure);
      error.hidden = false;
      error.focus();
    }
  };
  return show(t("files"), el("p", {}, t("files_why")), error,
    savingTasks(tasks, trying(async ({ target }) => saveTasks(person, target))),
    savingResults(unsent, trying(async () => keep(await fileOfResults(person), "results"))), opening(person, trying, renew));
}

function reasonOf(failure) {
  if (failure instanceof Unopened) return t(failure.message, { most: size(MOST) });
  if (failure instanceof Rejected) return failure.problem ? `${failure.problem.message} ${failure.problem.hint}` : t("line_log-in");
  if (failure.name === "QuotaExceededError") return t("not_kept");
  return t(failure instanceof TypeError || failure.name === "TimeoutError" ? "results_need_line" : "open_bad");
}

function keep(file, name) {
  const whole = `${name}-${new Date().toISOString().slice(0, 16).replaceAll(":", "")}.wedsql`;
  download(whole, file);
  say(t("file_saved", { name: whole }));
}

async function saveTasks(person, form) {
  const numbers = [...form.querySelectorAll("[name=task]:checked")].map((one) => Number(one.value));
  if (!numbers.length) throw new Unopened("choose_task");
  keep(await fileOfTasks(person, numbers), numbers.length === 1 ? `task-${numbers[0]}` : "tasks");
}

const part = (id, ...content) => el("section", { class: "panel pad", "aria-labelledby": id }, el("h2", { id }, t(id)), ...content);

function savingTasks(tasks, save) {
  if (!tasks.length) return part("save_tasks", el("p", { class: "dim" }, t("no_save")));
  const rows = tasks.map((one) => el("li", {}, el("input", { type: "checkbox", id: `save-${one.task}`, name: "task", value: one.task }),
    el("label", { for: `save-${one.task}` }, ` ${one.title} `, el("span", { class: "dim small" }, `${one.flow} ${one.key}`))));
  return part("save_tasks", el("form", { id: "save-tasks", onsubmit: save, novalidate: true },
    el("ul", { class: "plain choices" }, ...rows), el("p", { class: "actions" }, el("button", {}, t("save_file")))));
}

function savingResults(unsent, save) {
  if (!unsent.length) return part("save_results", el("p", { class: "dim" }, t("none_unsent")));
  return part("save_results", el("p", {}, t("unsent", { n: unsent.length })),
    el("p", { class: "actions" }, el("button", { type: "button", id: "save-results", onclick: save }, t("save_file"))));
}

function opening(person, trying, renew) {
  const list = el("ul", { class: "plain", id: "opened" });
  const open = trying(async ({ target }) => {
    const [file] = target.files;
    target.value = "";
    list.replaceChildren();
    if (!file) return;
    const found = await openedFile(person, file);
    const rows = found.kind === "tasks" ? await takeTasks(person, found) : await sendFor(found);
    list.replaceChildren(...rows.map((one) => el("li", { "data-became": one.said }, sentence(one))));
    await renew();
  });
  return part("open_file", el("div", { class: "entry" }, el("label", { for: "file" }, t("file_to_open")),
    el("input", { type: "file", id: "file", accept: ".wedsql", onchange: open, "aria-describedby": "file-help" }),
    el("p", { class: "dim small", id: "file-help" }, t("file_help"))), el("div", { role: "status" }, list));
}

// Says what became of a task or of a result of a file.
function sentence({ title, said, problem, number }) {
  if (!number) return t(said, { task: title });
  return `${number}. ${title}: ${t(said)} ${problem ? `${problem.message} ${problem.hint}` : ""}`.trim();
}
