// What the device stores, encrypted with the key of its person: packages of tasks, results, what was typed. A
// transaction does not survive an awaited encryption, so values are encrypted before it and read after it.
import { MARK, lockOthers, opened } from "../../pages/device.js";

export const UNSENT = ["waiting", "discarding"];
const OPEN = ["waiting", "held"];
const KEPT_ENDED = 100, REMEMBERED = 200;
let database = null;

const STORES = {
  device: "id", people: "user", packages: ["user", "task"], outbox: ["user", "number"], drafts: ["user", "task"],
  files: ["user", "task", "name"],
};

// Makes the stores that are missing: all, or those that an older version of the program did not have.
function make(made) {
  for (const [name, keyPath] of Object.entries(STORES)) {
    if (!made.objectStoreNames.contains(name)) made.createObjectStore(name, { keyPath });
  }
}

// Runs work on stores in one transaction, and returns its result once that is on the disk.
// With `fail` the work ends it, and nothing of it is done.
async function run(stores, work, mode = "readwrite", durability = "strict") {
  const made = await begun(stores, mode, { durability });
  return new Promise((resolve, reject) => {
    let found, why = null;
    work((name) => made.objectStore(name), (value) => { found = value; }, (error) => { why = error; made.abort(); });
    made.oncomplete = () => resolve(found);
    made.onabort = () => reject(why ?? made.error);
  });
}

// Begins a transaction. The database is closed when another page removes it or brings it to a newer version.
async function begun(stores, mode, durability) {
  database ??= await opened(make);
  try {
    return database.transaction(stores, mode, durability);
  } catch (error) {
    if (error.name !== "InvalidStateError") throw error;
    database = await opened(make);
    return database.transaction(stores, mode, durability);
  }
}

const got = (name, key) => run([name], (store, found) => {
  store(name).get(key).onsuccess = (event) => found(event.target.result);
}, "readonly");

const all = (name, user) => run([name], (store, found) => {
  store(name).getAll(IDBKeyRange.bound([user], [user, []])).onsuccess = (event) => found(event.target.result);
}, "readonly");

// Returns the key by which this browser names itself.
export async function deviceKey() {
  const known = await got("device", "device");
  if (known) return known.key;
  const key = [...crypto.getRandomValues(new Uint8Array(16))].map((one) => one.toString(16).padStart(2, "0")).join("");
  return run(["device"], (store, found) => {
    store("device").get("device").onsuccess = ({ target: { result } }) => {  // of two tabs the first one names it
      if (!result) store("device").put({ id: "device", key });
      found(result?.key ?? key);
    };
  });
}

// Returns the person whose data can be read here; null where there is none.
export const current = () => run(["people"], (store, found) => {
  store("people").getAll().onsuccess = ({ target: { result } }) => found(result.find((one) => one.key) ?? null);
}, "readonly");

const keyOf = (secret) => crypto.subtle.importKey("raw",
  Uint8Array.from(atob(secret.replace(/\s/g, "")), (one) => one.charCodeAt(0)), "AES-GCM", false, ["encrypt", "decrypt"]);

// Lets a person read what the device has for the person, and no other one.
// `files`: the secret of what the person saves as files.
export async function enter(user, person, secret, files) {
  const [key, ofFiles] = await Promise.all([secret, files].map(keyOf));
  await lockOthers(user);
  await run(["people"], (store) => {
    store("people").get(user).onsuccess = ({ target: { result } }) => {
      store("people").put({ next: 1, digest: "", ...result, user, person, key, files: ofFiles });
    };
  });
  await note(user);
}

export const leave = async () => { await lockOthers(""); localStorage.removeItem(MARK); };

// Changes what is known of a person.
export const change = (user, made) => run(["people"], (store) => {
  store("people").get(user).onsuccess = ({ target: { result } }) => {
    if (result) store("people").put({ ...result, ...made(result) });
  };
});

// Returns whether the device has ever been that of a person.
export const knows = async (user) => Boolean(await got("people", user));

// Records for the other pages of the site how many results are not sent, and of which tasks.
async function note(user) {
  const unsent = (await all("outbox", user)).filter((one) => UNSENT.includes(one.state));
  const tasks = unsent.filter((one) => one.state === "waiting").map((one) => one.task);
  localStorage.setItem(MARK, JSON.stringify({ user, unsent: unsent.length, tasks }));
  return unsent.length;
}

async function sealed(person, bytes) {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  return { iv, data: await crypto.subtle.encrypt({ name: "AES-GCM", iv }, person.key, bytes) };
}

const unsealed = (person, box) => crypto.subtle.decrypt({ name: "AES-GCM", iv: box.iv }, person.key, box.data);

const closed = (person, value) => sealed(person, new TextEncoder().encode(JSON.stringify(value)));

const read = async (person, box) => JSON.parse(new TextDecoder().decode(await unsealed(person, box)));

const opening = async (person, found) => Promise.all(found.map(async (one) => ({
  ...one, box: undefined, ...await read(person, one.box),
})));

const byPlace = (one, other) => one.place - other.place, byNumber = (one, other) => one.number - other.number;

export const packages = async (person) => (await opening(person, await all("packages", person.user))).sort(byPlace);

// Returns what was read before the program had been loaded: {"person", "results", "packages"}; null where it was not.
export async function atStart() {
  const found = await globalThis.early;
  if (!found) return null;
  const { person } = found, [results, here] = await Promise.all([found.outbox, found.packages].map((one) => opening(person, one)));
  return { person, results: results.sort(byNumber), packages: here.sort(byPlace) };
}

export async function packageOf(person, task) {
  const found = await got("packages", [person.user, task]);
  return found ? (await opening(person, [found]))[0] : null;
}

// Keeps a package. `durability`: "relaxed" where what is written next is to be on the disk, and this with it.
export async function keepPackage(person, made, durability = "strict") {
  const box = await closed(person, made), kept = { user: person.user, task: made.task, version: made.version, box };
  await run(["packages"], (store) => store("packages").put(kept), "readwrite", durability);
}

// Removes packages, with what was typed into their forms, and the files that were chosen.
export const removePackages = (person, tasks) => run(["packages", "drafts", "files"], (store) => {
  for (const task of tasks) {
    store("packages").delete([person.user, task]);
    store("drafts").delete([person.user, task]);
    store("files").delete(filesOf(person, task));
  }
});

const filesOf = ({ user }, task) => IDBKeyRange.bound([user, task], [user, task, []]);

// Keeps a file for a field of a task; its name is that of the attribute and its hash.
export async function keepFile(person, task, name, bytes) {
  const box = await sealed(person, bytes);
  await run(["files"], (store) => store("files").put({ user: person.user, task, name, box, sent: false }));
}

// Returns a file as {bytes, sent}; null where it is not here.
export async function fileOf(person, task, name) {
  const found = await got("files", [person.user, task, name]);
  return found ? { bytes: await unsealed(person, found.box), sent: found.sent } : null;
}

// Notes that the site has a file, or has not.
export const markFile = (person, task, name, sent) => run(["files"], (store) => {
  store("files").get([person.user, task, name]).onsuccess = ({ target: { result } }) => {
    if (result) store("files").put({ ...result, sent });
  };
});

// Removes the files of a task but those that its results still need.
export async function trimFiles(person, task) {
  const results = (await outbox(person)).filter((one) => one.task === task && one.result);
  const needed = new Set(results.flatMap((one) => filesIn(one.result.fields ?? []).map(({ key }) => key)));
  await run(["files"], (store) => {
    store("files").getAllKeys(filesOf(person, task)).onsuccess = ({ target: { result } }) => {
      for (const key of result) if (!needed.has(key[2])) store("files").delete(key);
    };
  });
}

// Returns the files that the fields of a form name, each with the attribute and the key under which it is kept.
export function filesIn(fields) {
  const found = [];
  for (const [field, text] of fields) {
    const one = field.startsWith("value-") && /^\{.*"sha256"/.test(text) ? described(text) : null;
    if (one?.here) found.push({ ...one, attribute: field.slice(6), key: `${field.slice(6)}/${one.sha256}` });
  }
  return found;
}

function described(text) {
  try { return JSON.parse(text); } catch { return null; }
}

export async function draftOf(person, task) {
  const found = await got("drafts", [person.user, task]);
  return found ? (await read(person, found.box)).fields : null;
}

export async function keepDraft(person, task, fields) {
  const box = await closed(person, { fields });
  await run(["drafts"], (store) => store("drafts").put({ user: person.user, task, box }));
}

export const outbox = async (person) => (await opening(person, await all("outbox", person.user))).sort(byNumber);

// Saves a result with the next number, in one transaction with the removal of what was typed. `instead`: the
// number of a refused result that it corrects.
export async function saveResult(person, made, instead = null) {
  const files = filesIn(made.result.fields ?? []), keys = files.map((one) => one.key);
  const sent = files.map(({ attribute, key, name }) => ({ attribute, key, name }));  // as a worker sends them
  const box = await closed(person, { ...made, files: sent }), { user } = person, { task } = made;
  const number = await run(["people", "packages", "outbox", "drafts", "files"], (store, found, fail) => {
    const needs = (failure, isThere) => ({ target: { result } }) => { if (!isThere(result)) fail(new Failure(failure)); };
    for (const key of keys) store("files").count([user, task, key]).onsuccess = needs("file_gone", (count) => count === 1);
    if (!instead) store("packages").count([user, task]).onsuccess = needs("gone_why", (count) => count === 1);
    const others = (list) => list.every((one) => one.task !== task || one.number === instead || !OPEN.includes(one.state));
    store("outbox").getAll(IDBKeyRange.bound([user], [user, []])).onsuccess = needs("done_already", others);
    store("people").get(user).onsuccess = ({ target: { result } }) => {
      store("people").put({ ...result, next: result.next + 1 });
      store("outbox").put({ user, number: result.next, state: "waiting", task, box });
      if (instead) store("outbox").delete([user, instead]);
      store("drafts").delete([user, task]);
      found(result.next);
    };
  });
  await trimFiles(person, task);
  await note(user);
  return number;
}

// Why a result was not saved.
export class Failure extends Error {}

// Notes that the site has decided on a result: the site of yesterday's backup has not. `gone`: it was discarded.
export const settle = (person, number, gone) => change(person.user, (one) => ({
  settled: Math.max(one.settled ?? 0, number), gone: gone ? [...one.gone ?? [], number].slice(-REMEMBERED) : one.gone,
}));

// The site has lost results that it had decided on: what is here of them is sent again. Returns how many.
export async function sendAgain(person, settled) {
  const lost = (await outbox(person)).filter((one) => one.number > settled && !UNSENT.includes(one.state) && (one.result ?? one.sent));
  for (const { number, title, task, made_at, result, sent } of lost) {
    await changeResult(person, number, "waiting", { title, task, made_at, result: result ?? sent });
  }
  for (const number of (person.gone ?? []).filter((one) => one > settled)) {
    await changeResult(person, number, "discarding", { title: "", task: 0, made_at: new Date().toISOString() });
  }
  return lost.length;
}

// Changes the state of a result, and what is kept of it.
export async function changeResult(person, number, state, made) {
  const box = await closed(person, made);
  await run(["outbox"], (store) => store("outbox").put({ user: person.user, number, state, task: made.task, box }));
  if (state === "accepted" || state === "discarding") await trimFiles(person, made.task);
  return note(person.user);
}

// Gives a result the next number, because the site knows another one by its number.
export async function renumber(person, number) {
  await run(["people", "outbox"], (store) => {
    store("outbox").get([person.user, number]).onsuccess = ({ target: { result: one } }) => {
      store("people").get(person.user).onsuccess = ({ target: { result } }) => {
        store("outbox").delete([person.user, number]);
        store("outbox").put({ ...one, number: result.next });
        store("people").put({ ...result, next: result.next + 1 });
      };
    };
  });
}

export async function removeResult(person, { number, task }) {
  await run(["outbox"], (store) => store("outbox").delete([person.user, number]));
  await trimFiles(person, task);
  return note(person.user);
}

// Removes the oldest results that were accepted, which are shown for a while.
export async function trim(person) {
  const ended = (await all("outbox", person.user)).filter((one) => one.state === "accepted");
  const old = ended.slice(0, Math.max(0, ended.length - KEPT_ENDED));
  await run(["outbox"], (store) => { for (const one of old) store("outbox").delete([person.user, one.number]); });
}

// Removes all that the device has for a person: it was reported lost.
export async function wipe(user) {
  const range = IDBKeyRange.bound([user], [user, []]);
  const kept = ["packages", "outbox", "drafts", "files"];
  localStorage.removeItem(MARK);  // first: else another tab would take it for a loss
  await run(["people", ...kept], (store) => {
    for (const name of kept) store(name).delete(range);
    store("people").delete(user);
  });
}
