// Where to perform a task that may run without a connection: on this device, with the data that were transferred, or
// here, with the data of the site. What the device knows is read only where its person is logged in.
import { mark } from "../pages/device.js";
import { size } from "./form_fields.js";

const SLOW = 50000, LONGEST_WAIT = 30;

// Returns what is recommended: "place" is "local", "lock" or "remote", "why" the reason. `here`: the data of the task are
// on the device, and it is locked; `input` and `output`: bytes to transfer before and after; `speed`: bytes per
// second, 0 where that is not known.
export function recommended({ here, application, speed, input, output }) {
  const seconds = (bytes) => (speed ? Math.ceil(bytes / speed) : 0);
  const isSlow = speed > 0 && (speed < SLOW || seconds(output) > LONGEST_WAIT);
  if (application) return { place: "remote", why: "application" };
  if (!here) return isSlow ? { place: "lock", why: "not_here_slow", seconds: seconds(input) } : { place: "remote", why: "not_here" };
  if (!speed) return { place: "local", why: "here" };
  return isSlow ? { place: "local", why: "slow", seconds: seconds(output) } : { place: "remote", why: "fast" };
}

// Shows the recommendation, and how the device is where its person has it report that.
export async function showPlace(panel) {
  const user = document.querySelector("header[data-user]")?.dataset.user;
  if (!user || mark()?.user !== user) return;
  const [store, facts] = await Promise.all([import("./offline/store.js"), import("./offline/device_facts.js")]);
  const person = await store.current();
  if (person?.user !== user) return;
  const task = Number(panel.dataset.place), made = await store.packageOf(person, task), texts = panel.querySelector("script");
  const speed = facts.speed(person), { size: input, most: output } = panel.dataset;
  const here = Boolean(made) && made.locked !== false && panel.dataset.locked === "yes";
  const found = recommended({
    here, application: panel.dataset.application === "yes", speed, input: Number(input), output: Number(output),
  });
  const said = { speed: size(speed), seconds: found.seconds, size: size(Number(input)), most: size(Number(output)) };
  const text = JSON.parse(texts.textContent)[found.why];
  panel.querySelector("[data-said]").textContent = text.replace(/\{(\w+)\}/g, (all, key) => said[key] ?? all);
  panel.dataset.recommended = found.place;
  panel.querySelector("[data-perform]").hidden = !here;
  panel.hidden = false;
  await sendReport(person, store, facts);
}

// The form that locks the task says on which device, and how that is, where its person has agreed to that.
async function sendReport(person, store, { room, energy }) {
  const form = document.querySelector("form[data-lock]");
  if (!form) return;
  const add = (name, value) => form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  add("device", await store.deviceKey());
  if (!person.report) return;
  const { free } = await room(), percent = await energy();
  if (free !== null) add("free", Math.floor(free));
  if (percent !== null) add("energy", percent);
}
