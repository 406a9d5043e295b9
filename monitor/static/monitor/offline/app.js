// The client for work without a connection: which page is shown, and when it exchanges with the site.
import { now } from "./clock.js";
import { lossOf, noteLoss } from "./losses.js";
import { el, say, show, t } from "./parts.js";
import * as store from "./store.js";
import { listed, lossNote, showTasks } from "./tasks.js";

const EVERY = 30000;
const WITHOUT = { lost: "line_lost", connecting: "loading" };  // what is shown before the data of a user are known
const line = document.getElementById("line");
let state = { line: "connecting" }, running = null, shown = "", drawing = Promise.resolve(), others = null;

// Returns the pages but the list, and the exchange: a cold start shows the list before it loads them.
function pages() {
  others ??= import("./pages.js").catch((error) => { others = null; throw error; });
  return others;
}

function showLine() {
  line.textContent = state.line === "problem" ? state.problem?.message || t("line_offline") : t(`line_${state.line}`);
  line.dataset.line = state.line;
  document.getElementById("log-in").hidden = state.line !== "log-in";
}

function showCounts(person, results) {
  const unsent = results.filter((one) => one.state !== "accepted").length;
  document.getElementById("waiting").textContent = unsent || "";
  document.getElementById("who").textContent = person?.person ?? "";
}

// Shows the page of the address, after what is being shown: else an earlier page could replace a later one.
function render(moved = true) {
  drawing = drawing.catch(() => {}).then(() => draw(moved));
  return drawing;
}

// A form that is open stays as it is.
async function draw(moved) {
  const [, page = "", task, number] = location.hash.split("/");
  const read = moved === "first" ? await store.atStart() : null;
  const person = read?.person ?? await store.current(), stored = read ?? await storedOf(person), { results } = stored;
  showCounts(person, results);
  showLine();
  document.body.dataset.page = page || "list";
  const content = signature(person, stored);
  if (!moved && (page === "tasks" || page === "files" || (page === "away" && document.getElementById("plan")))) return;
  if (!moved && content === shown) return;
  shown = content;
  const focused = document.activeElement?.id;
  const { closeForm, openForm, showAway, showFiles, showOutbox, showResult } = others || page ? await pages() : {};
  closeForm?.();
  if (page === "tasks" || page === "result") say("");  // what became of another one
  let heading;
  if (!person) {
    heading = show(t("tasks"), lossNote(null, () => render(false)), el("p", {}, t(WITHOUT[state.line] ?? "no_person")));
  } else if (page === "tasks") {
    const corrects = number ? results.find((one) => one.number === Number(number)) : null;
    await openForm(person, Number(task), corrects, () => {
      location.hash = "#/";
      sendLater();
      exchange();
    });
  } else if (page === "result") heading = await showResult(person, Number(task));
  else if (page === "outbox") heading = await showOutbox(person, task === "leave", renewed);
  else if (page === "files") heading = await showFiles(person, async () => showCounts(person, await store.outbox(person)));
  else if (page === "away") heading = await showAway(person, state.line, async (asked) => {
    await (asked ? exchange(true) : automatic());
    await render();
  });
  else heading = await showTasks(person, stored, state.line, () => render(false));
  for (const link of document.querySelectorAll("nav a[data-page]")) {
    if (link.dataset.page === (page || "list")) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (moved && moved !== "first") heading?.focus();
  else if (focused) document.getElementById(focused)?.focus();
}

// What the device has for a person, read once for all that is shown of it.
async function storedOf(person) {
  const [results, packages] = person ? await Promise.all([store.outbox(person), store.packages(person)]) : [[], []];
  return { results, packages };
}

// What the lists show: they are made again only when it has changed, so that who reads or aims keeps the place.
function signature(person, { results, packages }) {
  const loss = lossOf(person);
  if (!person) return `${state.line} ${Boolean(loss)}`;
  const ended = results.map(({ number, state: each, answer }) => [number, each, answer]);
  const { user, away, restored } = person, line = ["connected", "connecting"].indexOf(state.line);
  return JSON.stringify([location.hash, line, user, away, restored, loss, ended, listed(person, packages)]);
}

// Has the browser send what waits when no page of the client is open any more, where it can.
async function sendLater() {
  const found = await navigator.serviceWorker?.getRegistration();
  await found?.sync?.register("wedsql-results").catch(() => {});  // not allowed here: a page sends it
}

// Exchanges with the site, one at a time; what happens meanwhile is in the next one.
async function exchange(asked = false) {
  if (asked) say(t("sending"));
  await noteLoss();
  await render(false);
  running ??= pages().then(({ synchronize }) => synchronize()).finally(() => { running = null; });
  state = await running;
  if (state.line === "offline") sendLater();
  if (asked) say(state.line === "connected" ? t("sent") : t(`line_${state.line === "problem" ? "offline" : state.line}`));
  await render(false);
  takeOver();
}

// Shows what has changed, after an exchange with all or of one result.
const renewed = (asked, sent = false) => (sent ? render(false) : exchange(asked));

// Exchanges by itself: not while the person is away and nothing is to be sent, which saves energy.
async function automatic() {
  const person = await store.current();
  const waits = person && (await store.outbox(person)).some((one) => store.UNSENT.includes(one.state));
  if (!person?.away || waits || Date.parse(person.away.until) <= now(person)) return exchange();
  state = { line: "away" };
  return render(false);
}

// A new version of the program waits until no form is open in any page.
async function takeOver() {
  const found = await navigator.serviceWorker?.getRegistration();
  found?.waiting?.postMessage("take over");
}

async function start() {
  const { base } = document.body.dataset;
  addEventListener("hashchange", () => render());  // first: else a page that is chosen meanwhile is not shown
  await render("first");
  addEventListener("online", () => exchange());
  addEventListener("offline", () => automatic());
  document.addEventListener("visibilitychange", () => { if (!document.hidden) automatic(); });
  setInterval(() => { if (!document.hidden) automatic(); }, EVERY);
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
  await automatic();
  await navigator.storage?.persist?.();
}

start();
