// Going offline: which tasks are taken along, whether there is the time and the room for their data, and the transfer.
import { size } from "../form_fields.js";
import { now } from "./clock.js";
import { metered, prefetches, room, speed } from "./device_facts.js";
import { el, moment, say, show, t } from "./parts.js";
import { described, estimate, weak } from "./plan.js";
import { ask, Rejected } from "./requests.js";
import * as store from "./store.js";
import { contact } from "./sync.js";
import { about } from "./tasks.js";
import { candidates, keepLocked, usable } from "./transfer.js";

const MINUTES = 5, HOURS = 8, LONGEST = 720;

// Shows the page; `renew` exchanges with the site.
export async function showAway(person, line, renew) {
  if (person.away) return showLeft(person, renew);
  if (line !== "connected") {
    const why = line === "connecting" ? "loading" : "go_needs";
    return show(t("go"), el("p", { class: "note note-info" }, t(why)), settings(person, renew));
  }
  let rows;
  try {
    rows = await candidates(person, contact);
  } catch {
    return show(t("go"), el("p", { class: "note note-warning", role: "alert" }, t("line_offline")));
  }
  return showPlan(person, rows, renew);
}

// The person is away: says until when, and connects again.
async function showLeft(person, renew) {
  const done = new Set((await store.outbox(person)).filter((one) => one.result).map((one) => one.task));
  const ready = (await store.packages(person)).filter((one) => usable(one) && !done.has(one.task));
  const back = async () => { await store.change(person.user, () => ({ away: null })); await renew(true); };
  return show(t("gone_offline"),
    el("p", { class: "note note-info", id: "left" }, t("left", { n: ready.length, until: moment(person.away.until) })),
    el("p", { class: "actions" }, el("a", { class: "button primary", href: "#/" }, t("tasks")),
      el("button", { type: "button", id: "back", onclick: back }, t("connect_again"))));
}

const number = (id, value, most) => el("input", {
  id, name: id, type: "number", min: 1, max: most, value, required: true, inputmode: "numeric", "aria-describedby": `${id}-help`,
});

const entry = (id, field, help = null) => el("div", { class: "entry" }, el("label", { for: id }, t(id)), field,
  help ? el("p", { class: "dim small", id: `${id}-help` }, t(help)) : null);

async function showPlan(person, rows, renew) {
  const { free } = await room(), energy = await weak(), facts = { bytes: speed(person), free };
  const error = el("div", { class: "note note-error", role: "alert", tabindex: "-1", hidden: true });
  const sum = el("ul", { class: "plain" });
  const form = el("form", { class: "panel pad operate", novalidate: true, id: "plan" },
    entry("leave_in", number("leave_in", MINUTES, LONGEST), "leave_in_help"),
    entry("back_in", number("back_in", HOURS, LONGEST), "back_in_help"),
    el("fieldset", {}, el("legend", {}, t("take_along")),
      rows.length ? el("ul", { class: "plain choices" }, ...rows.map(choice)) : el("p", { class: "dim" }, t("none_to_take"))),
    el("div", { role: "status" }, sum), energy ? el("p", { class: "note note-warning" }, energy) : null,
    el("p", { class: "actions" }, el("button", { class: "primary", id: "go" }, t("go"))));
  const read = () => readPlan(form, rows, facts);
  const follow = () => {
    const { found, minutes, back } = read();
    sum.replaceChildren(...described(found, { ...facts, minutes }).map((text) => el("li", {}, text)));
    const until = now(person) + back * 60000;
    for (const mark of form.querySelectorAll("[data-before]")) mark.hidden = Date.parse(mark.dataset.before) > until;
  };
  form.addEventListener("input", follow);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    leave(person, rows, read(), facts, { form, error, renew });
  });
  follow();
  return show(t("go"), error, el("p", {}, t("go_why")), form, settings(person, renew));
}

// A task with whether it is taken along: locked and taken ones are.
function choice(one) {
  const locked = usable(one), state = locked ? "state_locked" : one.taken ? "state_taken" : "state_open", id = `take-${one.task}`;
  return el("li", {},
    el("input", { type: "checkbox", id, name: "take", value: one.task, checked: locked || one.taken }),
    el("label", { for: id }, ` ${one.title} `, el("span", { class: "dim small" }, about(one))),
    el("span", { class: "tag" }, t(state)),
    el("span", { class: "tag" }, one.here ? t("here") : t("not_here", { size: size(one.size) })),
    one.elsewhere ? el("span", { class: "tag" }, t("elsewhere")) : null,
    one.due_at
      ? el("span", { class: "tag warn", "data-before": one.due_at, hidden: true }, t("due_before", { at: moment(one.due_at) })) : null);
}

function readPlan(form, rows, facts) {
  const chosen = new Set([...form.querySelectorAll("[name=take]:checked")].map((one) => Number(one.value)));
  const minutes = Number(form.elements.leave_in.value), back = Number(form.elements.back_in.value) * 60;
  return { chosen, minutes, back, found: estimate(rows, chosen, { ...facts, minutes }) };
}

// Leaves when everything fits; else says what does not, and the person allows more, or takes fewer tasks.
async function leave(person, rows, plan, facts, { form, error, renew }) {
  const fail = (...texts) => {
    error.replaceChildren(...texts.map((text) => el("p", {}, text)));
    error.hidden = false;
    error.focus();
  };
  const wrong = ["leave_in", "back_in"].filter((name) => !form.elements[name].checkValidity());
  for (const name of ["leave_in", "back_in"]) form.elements[name].ariaInvalid = wrong.includes(name) ? "true" : null;
  if (wrong.length) { fail(...wrong.map((name) => t("wrong_number", { name: t(name), most: LONGEST }))); return; }
  if (!plan.found.inTime || !plan.found.hasRoom) { fail(...described(plan.found, { ...facts, minutes: plan.minutes }).slice(1)); return; }
  const button = form.querySelector("#go");
  button.disabled = true;
  try {
    const problems = await prepared(person, rows, plan);
    if (problems.length) fail(...problems, t("go_not_yet"));
    else await renew(false);
  } catch (failure) {
    fail(failure instanceof Rejected && failure.problem ? `${failure.problem.message} ${failure.problem.hint}` : t("broke_off"));
  } finally {
    button.disabled = false;
  }
}

// Locks and transfers what is taken along; returns the problems of tasks. Repeated, it goes on where it broke off.
async function prepared(person, rows, { chosen, back }) {
  const device = await store.deviceKey();
  const lock = rows.filter((one) => chosen.has(one.task) && !(usable(one) && one.here)).map((one) => one.task);
  const given = rows.filter((one) => usable(one) && one.here && !chosen.has(one.task)).map((one) => one.task);
  const { tasks, away_until } = await ask("away/", JSON.stringify({ device, lock, back: given, minutes: back }));
  const locked = tasks.filter((one) => one.done === "locked");
  await store.removePackages(person, tasks.filter((one) => one.done === "back").map((one) => one.task));
  for (const [place, one] of locked.entries()) {
    say(t("transferring", { n: place + 1, all: locked.length }));
    await keepLocked(person, one);
  }
  const titles = new Map(rows.map((one) => [one.task, one.title]));
  const problems = tasks.filter((one) => one.problem)
    .map((one) => `${titles.get(one.task)}: ${one.problem.message} ${one.problem.hint}`);
  say("");
  if (!problems.length) await store.change(person.user, () => ({ digest: "", away: { until: away_until } }));
  return problems;
}

// What the device does by itself: prefetching, also on lines that cost by volume, and reports about the device.
function settings(person, renew) {
  const keep = (name) => async ({ target }) => {
    await store.change(person.user, () => ({ [name]: target.checked, digest: "" }));
    say(t("setting_saved"));
    await renew(false);
  };
  const box = (name, checked) => el("li", {},
    el("input", { type: "checkbox", id: name, checked, onchange: keep(name) }), el("label", { for: name }, ` ${t(name)}`));
  return el("section", { class: "panel pad", "aria-labelledby": "settings" }, el("h2", { id: "settings" }, t("settings")),
    el("ul", { class: "plain choices" }, box("prefetch", person.prefetch !== false), box("metered", person.metered === true),
      box("report", person.report === true)),
    metered() && !prefetches(person) ? el("p", { class: "note note-info" }, t("prefetch_paused")) : null);
}
