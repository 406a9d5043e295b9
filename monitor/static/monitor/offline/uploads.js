// Files of results, which are sent before their result: so none arrives without the other. The site stores one that
// is sent again once, by its hash.
import { ask, Rejected } from "./requests.js";
import * as store from "./store.js";

const NOT_TAKEN = "WD596", BYTES_PER_MS = 10;

// Sends the files of a result; returns the attributes whose files the site does not take, or the device has no more.
export async function sendFiles(person, { task, result }) {
  const without = [];
  for (const one of store.filesIn(result?.fields ?? [])) {
    const file = await store.fileOf(person, task, one.key);
    if (!file) without.push(one.attribute);
    else if (!file.sent && !await sendFile(person, task, one, file.bytes)) without.push(one.attribute);
  }
  return without;
}

async function sendFile(person, task, { attribute, name, key }, bytes) {
  const data = new FormData();
  data.set("device", await store.deviceKey());
  data.set("file", new File([bytes], name));
  try {
    await ask(`files/${task}/${attribute}/`, data, bytes.byteLength / BYTES_PER_MS);
  } catch (error) {
    if (error instanceof Rejected && error.problem?.code === NOT_TAKEN) return false;
    throw error;
  }
  await store.markFile(person, task, key, true);
  return true;
}

// The site does not have the files of a result any more: they are sent again.
export async function forgetFiles(person, { task, result }) {
  for (const { key } of store.filesIn(result?.fields ?? [])) await store.markFile(person, task, key, false);
}
