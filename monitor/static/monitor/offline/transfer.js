// The transfer of tasks, in the order of the list, locked ones first. What is under way is finished before anything else.
import { prefetches } from "./device_facts.js";
import { ask, Rejected } from "./requests.js";
import * as store from "./store.js";

const BETWEEN = 2000, MEASURED = 4000, GONE = ["WD590", "WD591", "WD592", "WD593"];

let measuredAt = -BETWEEN;

const page = () => ({ language: document.documentElement.lang, program: document.body.dataset.program });

// Returns whether a task can be performed on the device: it is locked, or became ready here.
export const usable = ({ task, locked }) => task < 0 || locked !== false;

// Returns the version of the data of a package, which a lock does not change.
const ofData = (version = "") => version.split(".")[0];

// Transfers what is new or has changed, and removes what has left the list.
export async function transfer(person, found, offers) {
  if (found.tasks === null) return;
  const known = await store.packages(person), numbers = new Set(found.tasks.map((one) => one.task));
  const kept = new Set((await store.outbox(person)).filter((one) => one.result).map((one) => one.task));
  const paused = (one) => !offers && !usable(one) && person.prefetch !== false;
  const left = known.filter((one) => one.task > 0 && !numbers.has(one.task) && !kept.has(one.task) && !paused(one));
  await store.removePackages(person, left.map((one) => one.task));
  let keeping = Promise.resolve();
  for (const [place, listed] of found.tasks.entries()) {
    const made = await brought(person, known.find((one) => one.task === listed.task), { ...listed, place });
    await keeping;
    keeping = made ? store.keepPackage(person, made, "relaxed") : keeping;  // while the next one is being transferred
    keeping.catch(() => {});
  }
  await keeping;
  await store.change(person.user, () => ({ digest: found.digest }));
}

const FACTS = ["place", "locked", "taken", "size", "elsewhere"];

// Returns a task as it is to be kept; null where the device has it as it is listed, or another person was faster.
async function brought(person, one, listed) {
  const has = isCurrent(one, listed.version);
  if (has && FACTS.every((name) => one[name] === listed[name])) return null;
  try {
    return { ...has ? one : await fetched(person, listed.task), ...page(), ...of(listed) };
  } catch (error) {
    if (error instanceof Rejected && GONE.includes(error.problem?.code)) return null;
    throw error;
  }
}

const of = (listed) => Object.fromEntries(FACTS.map((name) => [name, listed[name]]));

const isCurrent = (one, version) => {
  const { language, program } = page();
  return one?.version === version && one.language === language && one.program === program;
};

// Asks for a package, and measures the line by it.
async function fetched(person, task) {
  const begun = performance.now(), made = await ask(`packages/${task}/?device=${await store.deviceKey()}`);
  const bytes = JSON.stringify(made).length, seconds = (performance.now() - begun) / 1000;
  if (bytes >= MEASURED) {
    person.bandwidth = Math.round((bytes / seconds + (person.bandwidth ?? bytes / seconds)) / 2);
    if (performance.now() - measuredAt > BETWEEN) {  // not for each of many
      measuredAt = performance.now();
      await store.change(person.user, () => ({ bandwidth: person.bandwidth }));
    }
  }
  return made;
}

// Returns the tasks that can be taken along, each with whether its data are here.
export async function candidates(person, contact) {
  const here = (await store.packages(person)).filter((one) => one.task > 0);
  const done = new Set((await store.outbox(person)).filter((one) => one.result).map((one) => one.task));
  const rows = here.map((one) => ({ ...one, here: true }));
  if (!prefetches(person)) {
    const { tasks } = await contact(true, "", true);
    const numbers = new Set(here.map((one) => one.task));
    rows.push(...(tasks ?? []).filter((one) => !numbers.has(one.task)).map((one) => ({ ...one, here: false })));
  }
  return rows.filter((one) => !done.has(one.task));
}

// Has the device keep a task that was locked for it; data that it has are not transferred again.
export async function keepLocked(person, answer) {
  const one = await store.packageOf(person, answer.task), { version, claim } = answer;
  const has = answer.has && one && ofData(one.version) === ofData(version) && isCurrent(one, one.version);
  const made = has ? { ...one, version, claim } : await fetched(person, answer.task);
  await store.keepPackage(person, { place: 0, size: 0, ...one, ...made, ...page(), locked: true, taken: true, elsewhere: false });
}
