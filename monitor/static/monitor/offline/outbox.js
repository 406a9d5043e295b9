// The outbox: each result with its state; send, correct, export, discard.
import { confirmed, el, moment, say, show, t } from "./parts.js";
import { ask, Rejected } from "./requests.js";
import * as store from "./store.js";
import { sendOne } from "./sync.js";

const MARK = { accepted: "ok", refused: "bad", late: "warn", held: "warn", waiting: "", discarding: "" };

// Says what is the matter with a result.
function why({ state, answer }) {
  if (state === "held") return t("held_for", { n: answer.waits_for });
  if (state === "late") {
    const decided = t(`late_${answer.late ?? "kept"}`, { by: answer.late_by ?? "" });
    return `${answer.problem?.message ?? ""} ${decided}`.trim();
  }
  if (state === "refused") return `${answer.problem?.message ?? ""} ${answer.problem?.hint ?? ""}`.trim();
  return state === "accepted" && answer.arrived_at ? t("arrived", { at: moment(answer.arrived_at) }) : "";
}

// Has the browser save a file.
export function download(name, content) {
  const address = URL.createObjectURL(content);
  const link = el("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

const readable = (value) => new Blob([JSON.stringify(value, null, 1)], { type: "application/json" });

async function discard(person, one, renew) {
  if (!await confirmed(t("discard_sure", { task: one.title }), t("discard"))) return;
  if (one.state === "waiting" || one.state === "held") {
    await store.changeResult(person, one.number, "discarding", { title: one.title, task: one.task, made_at: one.made_at });
  } else await store.removeResult(person, one);
  say(t("discarded", { task: one.title }));
  await renew(true);
}

// Sends just this result, and says what became of it.
async function send(person, { number, title }, renew) {
  say(t("sending"));
  const { line, problem } = await sendOne(number), found = (await store.outbox(person)).find((one) => one.number === number);
  const said = line === "problem" ? `${problem?.message ?? ""} ${problem?.hint ?? ""}` : t(`line_${line}`);
  say(line === "connected" && found ? `${number}. ${title}: ${t(`is_${found.state}`)}` : said);
  await renew(false, true);
}

// Gives a refused result to the desk, where people decide on it.
async function giveToDesk(person, one, renew) {
  const body = new URLSearchParams({ device: await store.deviceKey(), number: one.number });
  try {
    const { result } = await ask("desk/", body), { title, task, made_at } = one;
    await store.changeResult(person, one.number, "late", { title, task, made_at, answer: result, result: one.result });
    say(t("given", { task: title }));
  } catch (error) {
    say(error instanceof Rejected && error.problem ? `${error.problem.message} ${error.problem.hint}` : t("line_offline"));
  }
  await renew(true);
}

function actions(person, one, renew) {
  const named = { "aria-describedby": `result-${one.number}` };
  const button = (name, work) => {
    const id = `${name}-${one.number}`;
    return el("button", { type: "button", class: "small", id, onclick: work, ...named }, t(name));
  };
  return [
    one.result ?? one.sent ? el("a", { class: "button small", href: `#/result/${one.number}`, ...named }, t("look")) : null,
    one.state === "waiting" ? button("send_one", () => send(person, one, renew)) : null,
    one.state === "refused" ? el("a", { class: "button small", href: `#/tasks/${one.task}/${one.number}`, ...named }, t("correct")) : null,
    one.state === "refused" && one.result && !one.result.reason ? button("desk", () => giveToDesk(person, one, renew)) : null,
    one.result ? button("export", () => download(`result-${one.number}.json`, readable(one))) : null,
    one.state === "discarding" ? null : button(one.state === "accepted" ? "remove" : "discard", () => discard(person, one, renew)),
  ];
}

function row(person, one, renew) {
  return el("tr", { role: "row" },
    el("th", { scope: "row", role: "rowheader", id: `result-${one.number}` }, `${one.number}. ${one.title}`),
    el("td", { role: "cell", "data-label": t("made") }, moment(one.made_at)),
    el("td", { role: "cell", "data-label": t("state") },
      el("span", { class: `tag ${MARK[one.state]}`, "data-state": one.state }, t(`is_${one.state}`)),
      el("div", { class: "small" }, why(one))),
    el("td", { role: "cell" }, el("span", { class: "actions" }, ...actions(person, one, renew))));
}

// Shows the outbox; `leaving`: the person wants to log out.
export async function showOutbox(person, leaving, renew) {
  const found = (await store.outbox(person)).reverse(), unsent = found.filter((one) => store.UNSENT.includes(one.state));
  const understood = async () => { await store.change(person.user, () => ({ restored: 0 })); await renew(); };
  const heading = show(t("outbox"),
    person.restored ? el("div", { class: "note note-warning", role: "alert", id: "restored" },
      el("p", {}, t("restored", { n: person.restored })),
      el("p", { class: "actions" }, el("button", { type: "button", class: "small", onclick: understood }, t("understood")))) : null,
    leaving && unsent.length ? el("p", { class: "note note-warning", role: "alert" }, t("leaving", { n: unsent.length })) : null,
    el("p", { class: "actions" },
      el("button", { type: "button", class: "primary", id: "send", onclick: () => renew(true) }, t("send")),
      unsent.length ? el("button", { type: "button", onclick: () => download("results.json", readable(unsent)) }, t("export_all")) : null),
    found.length
      ? el("div", { class: "panel" }, el("table", { class: "grid cards", role: "table" },
        el("caption", { class: "sr" }, t("outbox")),
        el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, ...["task", "made", "state", "actions"].map((name) => (
          el("th", { scope: "col", role: "columnheader" }, t(name)))))),
        el("tbody", { role: "rowgroup" }, ...found.map((one) => row(person, one, renew)))))
      : el("p", { class: "dim" }, t("outbox_empty")));
  return heading;
}
