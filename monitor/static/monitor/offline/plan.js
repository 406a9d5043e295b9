// What going offline costs: the data to transfer, against the speed of the line, the time, and the free space.
import { metered } from "./device_facts.js";
import { t } from "./parts.js";
import { size } from "../form_fields.js";

const FORM = 8000, SPARE = 5e6, LOW = 20;

// Returns what is to be transferred for the chosen tasks, and whether there is the time and the room for it.
export function estimate(rows, chosen, { bytes, free, minutes }) {
  const missing = rows.filter((one) => chosen.has(one.task) && !one.here);
  const volume = missing.reduce((sum, one) => sum + (one.size ?? 0) + FORM, 0);
  const seconds = bytes ? Math.ceil(volume / bytes) : 0;
  const hasRoom = !volume || free === null || volume + SPARE <= free;
  return { count: missing.length, volume, seconds, inTime: seconds <= minutes * 60, hasRoom };
}

// Says what the estimate means, a sentence each.
export function described(found, { bytes, free, minutes }) {
  const said = [found.count
    ? t("to_transfer", { n: found.count, size: size(found.volume) }) : t("all_here")];
  if (found.count && bytes) said.push(t("takes", { seconds: found.seconds, speed: size(bytes) }));
  if (found.count && !bytes) said.push(t("speed_unknown"));
  if (!found.inTime) said.push(t("no_time", { minutes, needed: Math.ceil(found.seconds / 60) }));
  if (!found.hasRoom) said.push(t("no_room", { size: size(found.volume), free: size(free) }));
  if (found.count && metered()) said.push(t("is_metered"));
  return said;
}

// Returns a warning about the energy of the device; null without one.
export async function weak() {
  const battery = await navigator.getBattery?.().catch(() => null);
  const percent = battery && !battery.charging ? Math.round(battery.level * 100) : 100;
  return percent < LOW ? t("low_energy", { n: percent }) : null;
}
