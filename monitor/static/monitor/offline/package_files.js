// Files with packages or results: a head, then encrypted the description and the files that belong to it. The key is
// the same on all devices of a person, and on no other one; so a file is known to be made by one of them.
import * as store from "./store.js";

const NAME = "WEDSQL offline ", HEAD = new TextEncoder().encode(`${NAME}1\n`), IV = 12, LENGTH = 4;
export const MOST = 500e6;

// Why a file was not saved or opened.
export class Unopened extends Error {}

// Returns a file with a description, a value of JSON, and parts: the bytes of files.
export async function savedFile(person, described, parts = []) {
  if (!person.files) throw new Unopened("no_files_key");
  const text = new TextEncoder().encode(JSON.stringify({ ...described, sizes: parts.map((one) => one.byteLength) }));
  const length = new Uint8Array(LENGTH), iv = crypto.getRandomValues(new Uint8Array(IV));
  new DataView(length.buffer).setUint32(0, text.byteLength);
  const whole = await new Blob([length, text, ...parts]).arrayBuffer();
  return new Blob([HEAD, iv, await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: HEAD }, person.files, whole)]);
}

// Returns the description in a file, with its parts. Throws Unopened for what no device of the person has saved.
export async function openedFile(person, file) {
  if (!person.files) throw new Unopened("no_files_key");
  if (file.size > MOST) throw new Unopened("open_large");
  const bytes = new Uint8Array(await file.arrayBuffer()), head = bytes.subarray(0, HEAD.length);
  if (!HEAD.every((one, place) => one === head[place])) {
    throw new Unopened(new TextDecoder().decode(head).startsWith(NAME) ? "open_newer" : "open_bad");
  }
  return read(await decrypted(person, bytes));
}

async function decrypted(person, bytes) {
  const iv = bytes.subarray(HEAD.length, HEAD.length + IV), given = { name: "AES-GCM", iv, additionalData: HEAD };
  try {
    return await crypto.subtle.decrypt(given, person.files, bytes.subarray(HEAD.length + IV));
  } catch {
    throw new Unopened("open_bad");
  }
}

function read(whole) {
  const length = new DataView(whole).getUint32(0), parts = [];
  const described = JSON.parse(new TextDecoder().decode(whole.slice(LENGTH, LENGTH + length)));
  let at = LENGTH + length;
  for (const size of described.sizes) {
    parts.push(whole.slice(at, at + size));
    at += size;
  }
  return { ...described, parts };
}

// Returns a file with tasks that are locked, as another device of the person can perform them.
export async function fileOfTasks(person, numbers) {
  const chosen = (await store.packages(person)).filter((one) => numbers.includes(one.task)), via = await store.deviceKey();
  return savedFile(person, { kind: "tasks", tasks: chosen.map((one) => ({ via, ...one })) });
}

// Has this device keep the tasks of a file; returns for each its title and what became of it.
export async function takeTasks(person, { tasks }) {
  const own = await store.deviceKey(), results = await store.outbox(person), found = [];
  for (const { via, ...one } of tasks) {
    const known = await store.packageOf(person, one.task);
    const isDone = results.some(({ task, state, result }) => task === one.task && result && state !== "refused");
    const isNewer = known && known.locked !== false && known.seq >= one.seq && known.claim === one.claim;
    if (!isDone && !isNewer) {
      await store.keepPackage(person, { ...one, elsewhere: via !== own, ...via === own ? {} : { via } });
    }
    found.push({ title: one.title, said: isDone ? "opened_done" : isNewer ? "opened_newer" : "opened" });
  }
  await store.change(person.user, () => ({ digest: "" }));  // the site says which of them are still to be done
  return found;
}

// Returns a file with the results that are not sent, and with the files that belong to them.
export async function fileOfResults(person) {
  const results = (await store.outbox(person)).filter((one) => store.UNSENT.includes(one.state)), files = [], parts = [];
  for (const { task, result } of results) {
    for (const { key, attribute, name } of store.filesIn(result?.fields ?? [])) {
      const file = await store.fileOf(person, task, key);
      if (!file) continue;
      files.push({ task, key, attribute, name });
      parts.push(file.bytes);
    }
  }
  return savedFile(person, { kind: "results", device: await store.deviceKey(), results, files }, parts);
}
