// The client for work without a connection: which page is shown, and when it exchanges with the site.
import { size } from "../form_fields.js";
import { room } from "./file_fields.js";
import { closeForm, openForm } from "./form.js";
import { lossOf, noteLoss, showLoss } from "./losses.js";
import { showOutbox } from "./outbox.js";
import { el, moment, say, show, t } from "./parts.js";
import * as store from "./store.js";
import { synchronize } from "./sync.js";

const EVERY = 30000;
const line = document.getElementById("line");
let state = { line: "offline" }, running = null, shown = "", drawing = Promise.resolve();

function showLine() {
  line.textContent = state.line === "problem" ? state.problem?.message || t("line_offline") : t(`line_${state.line}`);
  line.dataset.line = state.line;
  document.getElementById("log-in").hidden = state.line !== "log-in";
}

async function showCounts(person) {
  const unsent = person ? (await store.outbox(person)).filter((one) => one.state !== "accepted").length : 0;
  document.getElementById("waiting").textContent = unsent || "";
  document.getElementById("who").textContent = person?.person ?? "";
}

async function showTasks(person) {
  const found = await store.packages(person), results = await store.outbox(person);
  const done = new Map(results.filter((one) => one.result && one.state !== "refused").map((one) => [one.task, one]));
  const loss = lossOf(person);
  const item = (one) => {
    const result = done.get(one.task), due = one.due_at ? ` · ${t("due")} ${moment(one.due_at)}` : "";
    return el("li", { class: "panel pad", "data-task": one.task },
      result ? el("strong", {}, one.title) : el("a", { href: `#/tasks/${one.task}` }, one.title),
      el("div", { class: "dim small" }, `${one.flow} ${one.key}${due}`),
      result ? el("span", { class: "tag" }, t(`is_${result.state}`))
        : loss?.tasks.includes(one.task) ? el("span", { class: "tag warn" }, t("again")) : null);
  };
  const { usage, free } = await room();
  return show(t("tasks"), lossNote(person),
    found.length ? el("ul", { class: "offline-list" }, ...found.map(item)) : el("p", { class: "dim" }, t("no_tasks")),
    el("p", { class: "dim small" }, t("storage", { used: size(usage), free: size(free) })));
}

function lossNote(person) {
  const loss = lossOf(person);
  return loss && showLoss(loss, () => render(false));
}

// Shows the page of the address, after what is being shown: else an earlier page could replace a later one.
function render(moved = true) {
  drawing = drawing.catch(() => {}).then(() => draw(moved));
  return drawing;
}

// A form that is open stays as it is.
async function draw(moved) {
  const [, page = "", task, number] = location.hash.split("/");
  const person = await store.current();
  await showCounts(person);
  showLine();
  document.body.dataset.page = page || "list";
  if (page === "tasks" && !moved) return;
  const content = await signature(person);
  if (!moved && content === shown) return;
  shown = content;
  const focused = document.activeElement?.id;
  closeForm();
  let heading;
  if (!person) heading = show(t("tasks"), lossNote(null), el("p", {}, t(state.line === "lost" ? "line_lost" : "no_person")));
  else if (page === "tasks") {
    const corrects = number ? (await store.outbox(person)).find((one) => one.number === Number(number)) : null;
    await openForm(person, Number(task), corrects, () => { location.hash = "#/"; exchange(); });
  } else if (page === "outbox") heading = await showOutbox(person, task === "leave", exchange);
  else heading = await showTasks(person);
  for (const link of document.querySelectorAll("nav a[data-page]")) {
    if (link.dataset.page === (page || "list")) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (moved && moved !== "first") heading?.focus();
  else if (focused) document.getElementById(focused)?.focus();
}

// What the lists show: they are made again only when it has changed, so that who reads or aims keeps the place.
async function signature(person) {
  const loss = lossOf(person);
  if (!person) return `${state.line} ${Boolean(loss)}`;
  const results = (await store.outbox(person)).map(({ number, state: each, answer }) => [number, each, answer]);
  return JSON.stringify([location.hash, person.user, loss, results, (await store.packages(person)).map((one) => [one.task, one.version])]);
}

// Exchanges with the site, one at a time; what happens meanwhile is in the next one.
async function exchange(asked = false) {
  if (asked) say(t("sending"));
  await noteLoss();
  await render(false);
  running ??= synchronize().finally(() => { running = null; });
  state = await running;
  if (asked) say(state.line === "connected" ? t("sent") : t(`line_${state.line === "problem" ? "offline" : state.line}`));
  await render(false);
  takeOver();
}

// A new version of the program waits until no form is open in any page.
async function takeOver() {
  const found = await navigator.serviceWorker?.getRegistration();
  found?.waiting?.postMessage("take over");
}

async function start() {
  const { base } = document.body.dataset;
  await render("first");
  addEventListener("hashchange", () => render());
  addEventListener("online", () => exchange());
  addEventListener("offline", () => exchange());
  document.addEventListener("visibilitychange", () => { if (!document.hidden) exchange(); });
  setInterval(() => { if (!document.hidden) exchange(); }, EVERY);
  if (navigator.serviceWorker) {
    let controlled = navigator.serviceWorker.controller;
    navigator.serviceWorker.addEventListener("controllerchange", () => {
      if (controlled && document.body.dataset.page !== "tasks") location.reload();
      controlled = true;  // the first worker of a page is of its own version, each later one of a newer one
    });
    navigator.serviceWorker.register(`${base}worker.js`, { scope: base, updateViaCache: "none" }).then(
      async () => { await navigator.serviceWorker.ready; document.body.dataset.kept = "yes"; },
      () => { document.body.dataset.kept = "no"; });
  }
  await exchange();
  await navigator.storage?.persist?.();
}

start();
