// What the browser has removed of this device: the mark of the site outlives the database where only that is removed,
// and says whose it was, and which tasks had results that were not sent.
import { MARK, mark } from "../../pages/device.js";
import { el, t } from "./parts.js";
import { knows } from "./store.js";

const LOST = "wedsql-offline-lost", MOST = 200;

function noted() {
  try {
    return JSON.parse(localStorage.getItem(LOST));
  } catch {
    return null;
  }
}

// Notes a loss before the next exchange gives the device to its person again.
export async function noteLoss() {
  const known = mark();
  if (!known?.user || await knows(known.user)) return;
  const before = lossOf(known), tasks = [...before?.tasks ?? [], ...known.tasks ?? []].slice(-MOST);
  localStorage.setItem(LOST, JSON.stringify({ user: known.user, unsent: (before?.unsent ?? 0) + known.unsent, tasks }));
  localStorage.setItem(MARK, JSON.stringify({ ...known, unsent: 0, tasks: [] }));
}

// Returns what a person has lost here, or whoever it was where no person is known: {"unsent", "tasks"}; or null.
export function lossOf(person) {
  const found = noted();
  return found && (!person || person.user === found.user) ? found : null;
}

// Tells of a loss until the person has read it.
export function showLoss(loss, renew) {
  const forget = () => { localStorage.removeItem(LOST); renew(); };
  return el("div", { class: "note note-warning", role: "alert", id: "loss" },
    el("p", {}, t(loss.unsent ? "lost_results" : "lost_stored", { n: loss.unsent })),
    el("p", { class: "actions" }, el("button", { type: "button", class: "small", id: "understood", onclick: forget }, t("understood"))));
}
