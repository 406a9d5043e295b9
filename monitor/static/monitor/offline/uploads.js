// Files of results, which are sent before their result: so none arrives without the other. The site stores one that
// is sent again once, by its hash.
import { ask, Rejected } from "./requests.js";
import * as store from "./store.js";

const NOT_TAKEN = "WD596", BYTES_PER_MS = 10;

// Sends the files of a result; returns the attributes whose files the site does not take, or the device has no more.
export async function sendFiles(person, { task, result }) {
  const without = [], from = { device: await store.deviceKey(), user: person.user, via: result?.via };
  for (const one of store.filesIn(result?.fields ?? [])) {
    const file = await store.fileOf(person, task, one.key);
    if (!file || (!file.sent && !await sendFile(from, task, one, file.bytes))) without.push(one.attribute);
    else if (!file.sent) await store.markFile(person, task, one.key, true);
  }
  return without;
}

// Sends a file of a result of a device; `via` is the device whose package it has opened, `user` whose result it is: the
// site takes it of no other one. Returns whether it is taken.
export async function sendFile({ device, user, via }, task, { attribute, name }, bytes) {
  const data = new FormData();
  data.set("device", device);
  if (user) data.set("user", user);
  if (via) data.set("via", via);
  data.set("file", new File([bytes], name));
  try {
    await ask(`files/${task}/${attribute}/`, data, bytes.byteLength / BYTES_PER_MS);
  } catch (error) {
    if (error instanceof Rejected && error.problem?.code === NOT_TAKEN) return false;
    throw error;
  }
  return true;
}

// The site does not have the files of a result any more: they are sent again.
export async function forgetFiles(person, { task, result }) {
  for (const { key } of store.filesIn(result?.fields ?? [])) await store.markFile(person, task, key, false);
}
