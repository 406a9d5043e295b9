// The exchange with the site: results are sent in their order, each removed only when the site has acknowledged
// it; then the tasks are transferred that have changed.
import { overtaken } from "./chains.js";
import { ahead } from "./clock.js";
import { energy, prefetches, room } from "./device_facts.js";
import { ask, Rejected } from "./requests.js";
import * as store from "./store.js";
import { transfer } from "./transfer.js";
import { forgetFiles, sendFile, sendFiles } from "./uploads.js";

const AT_ONCE = 10, MISSING = "WD615";
const ENDED = {
  accepted: "accepted", gone: "accepted", discarded: "removed", late: "late", refused: "refused", waiting: "held",
  skipped: "held",
};

async function report(person, unsent, offers, known) {
  const made = new URLSearchParams({ device: await store.deviceKey(), known, unsent });
  if (offers) made.set("offers", 1);
  if (!person?.report) return made;  // only who has agreed has the rest reported
  if (person.bandwidth) made.set("bandwidth", person.bandwidth);
  made.set("kind", matchMedia("(pointer: coarse)").matches ? "phone" : "computer");
  const { free } = await room();
  if (free !== null) made.set("free", Math.floor(free));
  const percent = await energy();
  if (percent !== null) made.set("energy", percent);
  return made;
}

// Asks the site how it is with the device: with its tasks, and with `offers` those that could be locked, `named` as
// lists show them.
export async function contact(offers = null, known = null, named = false) {
  const person = await store.current(), wants = offers ?? prefetches(person);
  const unsent = person ? (await store.outbox(person)).filter((one) => store.UNSENT.includes(one.state)).length : 0;
  const asked = await report(person, unsent, wants, known ?? person?.digest ?? "");
  if (named) asked.set("named", 1);
  const sent = Date.now(), found = await ask(`sync/?${asked}`);
  return { ...found, offers: wants, ahead: ahead(found.now, sent, Date.now()) };
}

// Makes the person who is logged in the one whose data can be read here.
async function entered(found) {
  const known = await store.current();
  if (found.state === "lost") { await store.wipe(found.user); return null; }
  if (known?.user !== found.user || !known.files) {
    const { secret, files } = await ask("unlock/", new URLSearchParams({ device: await store.deviceKey() }));
    await store.enter(found.user, found.person, secret, files);
  }
  await sendAgainWhatIsLost(await store.current(), found.settled);
  await store.change(found.user, (one) => ({ next: Math.max(one.next, found.settled + 1), ahead: found.ahead, away: null }));
  return store.current();
}

// A site that was restored from a backup has fewer results than it had acknowledged.
async function sendAgainWhatIsLost(person, settled) {
  if ((person.settled ?? 0) <= settled) return;
  const count = await store.sendAgain(person, settled);
  await store.change(person.user, () => ({ settled, restored: (person.restored ?? 0) + count }));
}

// Returns a result as it is sent, after its files. `without` is no part of it by which the site knows it again.
async function asSent(person, { number, state, task, result }) {
  if (state === "discarding") return { number, discarded: true };
  const without = await sendFiles(person, { task, result });
  return { number, ...result, ...without.length ? { without } : {} };
}

// Sends what waits, or `only` one result; returns whether all of it was acknowledged.
async function deliver(person, only = null) {
  const again = new Set();
  for (;;) {
    const waiting = (await store.outbox(person)).filter((one) => store.UNSENT.includes(one.state) && [null, one.number].includes(only))
      .slice(0, AT_ONCE);
    if (!waiting.length) return true;
    const made = [];
    for (const one of waiting) made.push(await asSent(person, one));
    const sent_at = new Date().toISOString(), device = await store.deviceKey();
    const { results } = await ask("results/", JSON.stringify({ device, user: person.user, sent_at, results: made }));
    for (const answer of results) {
      const one = waiting.find(({ number }) => number === answer.number);
      if (answer.state === "rejected") await sendOtherwise(person, one, answer.problem, again);
      else await acknowledge(person, one, answer);
    }
    if (results.length < waiting.length && results.at(-1)?.state !== "rejected") return false;
  }
}

// Sends the results of another device of the person from a file; returns for each what became of it.
export async function sendFor({ device, results, files, parts }) {
  const made = [], found = [], sent_at = new Date().toISOString();
  for (const one of results) made.push(await asSentFor(device, one, files.map((file, place) => ({ ...file, bytes: parts[place] }))));
  for (let from = 0; from < made.length && found.at(-1)?.state !== "rejected"; from += AT_ONCE) {
    const body = { device, sent_at, results: made.slice(from, from + AT_ONCE) };
    found.push(...(await ask("results/", JSON.stringify(body))).results);
  }
  return results.map(({ number, title }) => {
    const answer = found.find((one) => one.number === number);
    return { number, title, said: `became_${answer?.state ?? "unsent"}`, problem: answer?.problem };
  });
}

// Returns a result of another device as it is sent, after its files.
async function asSentFor(device, { number, state, task, result }, files) {
  if (state === "discarding") return { number, discarded: true };
  const without = [];
  for (const { key, attribute } of store.filesIn(result.fields ?? [])) {
    const file = files.find((one) => one.task === task && one.key === key);
    if (!file || !await sendFile({ device, via: result.via }, task, file, file.bytes)) without.push(attribute);
  }
  return { number, ...result, ...without.length ? { without } : {} };
}

// What to do with a result that the site did not keep: another one has its number, or a file of it is missing.
async function sendOtherwise(person, one, problem, again) {
  if (problem.code === "WD613") await store.renumber(person, one.number);
  else if (problem.code === MISSING && !again.has(one.number)) await forgetFiles(person, one);
  else throw new Rejected(409, problem);
  again.add(one.number);
}

// What was accepted needs its values only where the site is restored from a backup; what was not keeps them.
async function acknowledge(person, one, answer) {
  const state = ENDED[answer.state];
  if (answer.state !== "waiting") await store.settle(person, one.number, state === "removed");
  if (state === "removed") { await store.removeResult(person, one); return; }
  const { title, task, made_at, result } = one;
  const kept = state === "refused" || state === "late" || state === "held" ? { result } : { sent: result };
  await store.changeResult(person, one.number, state, { title, task, made_at, answer, ...kept });
}

// Looks at what became of results that waited on the site, or are late.
async function follow(person) {
  const open = (await store.outbox(person)).filter((one) => one.state === "held" || one.state === "late");
  if (!open.length) return;
  const { results } = await ask(`results/?device=${await store.deviceKey()}`);
  for (const one of open) {
    const answer = results.find(({ number }) => number === one.number);
    if (answer && JSON.stringify(answer) !== JSON.stringify(one.answer)) await acknowledge(person, one, answer);
  }
}

// Runs work alone, whatever tabs there are; returns the state of the line as `synchronize` does.
async function alone(work) {
  return navigator.locks.request("wedsql-sync", async () => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Rejected) return error.status === 401 ? { line: "log-in" } : { line: "problem", problem: error.problem };
      return { line: "offline" };
    }
  });
}

// Sends one result of the person. Where one before it was not sent, the site keeps it until that has come.
export const sendOne = (number) => alone(async () => {
  const person = await entered(await contact());
  if (!person) return { line: "lost" };
  await deliver(person, number);
  return { line: "connected" };
});

// Exchanges everything once; returns the state of the line: connected, offline, log-in, lost, or the problem.
export const synchronize = () => alone(async () => {
  let found = await contact();
  const person = await entered(found);
  if (!person) return { line: "lost" };
  const before = found.tasks;
  const some = (await store.outbox(person)).some((one) => store.UNSENT.includes(one.state));
  await deliver(person);
  await follow(person);
  if (some) found = await contact();
  await transfer(await store.current(), found, found.offers);
  if (before !== null || some) await contact();
  await store.removePackages(person, await overtaken(person, await store.packages(person), await store.outbox(person)));
  await store.trim(person);
  return { line: found.state === "withdrawn" ? "withdrawn" : "connected" };
});
