// What the device stores, encrypted with the key of its person: packages of tasks, results, what was typed. A
// transaction does not survive an awaited encryption, so values are encrypted before it and read after it.
import { MARK, lockOthers, opened } from "../../pages/device.js";

export const UNSENT = ["waiting", "discarding"];
const KEPT_ENDED = 30;
let database = null;

function make(made) {
  made.createObjectStore("device", { keyPath: "id" });
  made.createObjectStore("people", { keyPath: "user" });
  made.createObjectStore("packages", { keyPath: ["user", "task"] });
  made.createObjectStore("outbox", { keyPath: ["user", "number"] });
  made.createObjectStore("drafts", { keyPath: ["user", "task"] });
}

// Runs work on stores in one transaction, and returns its result once that is on the disk.
async function run(stores, work, mode = "readwrite") {
  database ??= await opened(make);
  return new Promise((resolve, reject) => {
    const made = database.transaction(stores, mode, { durability: "strict" });
    let found;
    work((name) => made.objectStore(name), (value) => { found = value; });
    made.oncomplete = () => resolve(found);
    made.onabort = () => reject(made.error);
  });
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

// Lets a person read what the device has for the person, and no other one.
export async function enter(user, person, secret) {
  const bytes = Uint8Array.from(atob(secret.replace(/\s/g, "")), (one) => one.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  await lockOthers(user);
  await run(["people"], (store) => {
    store("people").get(user).onsuccess = ({ target: { result } }) => {
      store("people").put({ next: 1, digest: "", ...result, user, person, key });
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

// Records for the other pages of the site how many results are not sent.
async function note(user) {
  const unsent = (await all("outbox", user)).filter((one) => UNSENT.includes(one.state)).length;
  localStorage.setItem(MARK, JSON.stringify({ user, unsent }));
  return unsent;
}

async function closed(person, value) {
  const iv = crypto.getRandomValues(new Uint8Array(12)), bytes = new TextEncoder().encode(JSON.stringify(value));
  return { iv, data: await crypto.subtle.encrypt({ name: "AES-GCM", iv }, person.key, bytes) };
}

async function read(person, box) {
  const bytes = await crypto.subtle.decrypt({ name: "AES-GCM", iv: box.iv }, person.key, box.data);
  return JSON.parse(new TextDecoder().decode(bytes));
}

const opening = async (person, found) => Promise.all(found.map(async (one) => ({
  ...one, box: undefined, ...await read(person, one.box),
})));

export const packages = async (person) => (await opening(person, await all("packages", person.user)))
  .sort((one, other) => one.place - other.place);

export async function packageOf(person, task) {
  const found = await got("packages", [person.user, task]);
  return found ? (await opening(person, [found]))[0] : null;
}

export async function keepPackage(person, made) {
  const box = await closed(person, made);
  await run(["packages"], (store) => store("packages").put({ user: person.user, task: made.task, version: made.version, box }));
}

// Removes packages, with what was typed into their forms.
export const removePackages = (person, tasks) => run(["packages", "drafts"], (store) => {
  for (const task of tasks) {
    store("packages").delete([person.user, task]);
    store("drafts").delete([person.user, task]);
  }
});

export async function draftOf(person, task) {
  const found = await got("drafts", [person.user, task]);
  return found ? (await read(person, found.box)).fields : null;
}

export async function keepDraft(person, task, fields) {
  const box = await closed(person, { fields });
  await run(["drafts"], (store) => store("drafts").put({ user: person.user, task, box }));
}

export const outbox = async (person) => (await opening(person, await all("outbox", person.user)))
  .sort((one, other) => one.number - other.number);

// Saves a result with the next number, in one transaction with the removal of what was typed. `instead`: the
// number of a refused result that it corrects.
export async function saveResult(person, made, instead = null) {
  const box = await closed(person, made);
  await run(["people", "outbox", "drafts"], (store, found) => {
    store("people").get(person.user).onsuccess = ({ target: { result } }) => {
      store("people").put({ ...result, next: result.next + 1 });
      store("outbox").put({ user: person.user, number: result.next, state: "waiting", box });
      if (instead) store("outbox").delete([person.user, instead]);
      store("drafts").delete([person.user, made.task]);
      found(result.next);
    };
  });
  return note(person.user);
}

// Changes the state of a result, and what is kept of it.
export async function changeResult(person, number, state, made) {
  const box = await closed(person, made);
  await run(["outbox"], (store) => store("outbox").put({ user: person.user, number, state, box }));
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

export async function removeResult(person, number) {
  await run(["outbox"], (store) => store("outbox").delete([person.user, number]));
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
  await run(["people", "packages", "outbox", "drafts"], (store) => {
    for (const name of ["packages", "outbox", "drafts"]) store(name).delete(range);
    store("people").delete(user);
  });
  localStorage.removeItem(MARK);
}
