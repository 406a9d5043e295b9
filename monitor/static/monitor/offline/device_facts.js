// Facts about the device and its line, as far as the browser says them.

// Returns whether the line costs by volume, as far as the browser says.
export function metered() {
  const line = navigator.connection;
  return Boolean(line?.saveData) || line?.type === "cellular";
}

// Returns whether tasks are transferred before they are locked.
export const prefetches = (person) => person?.prefetch !== false && (!metered() || person?.metered === true);

// Returns the bytes per second of the line: as measured, else as the browser estimates; 0 where neither is known.
export const speed = (person) => person?.bandwidth || (navigator.connection?.downlink ?? 0) * 125000;

// Returns how many bytes the browser lets the site still use, and how many it uses; null for both where the browser
// does not say.
export async function room() {
  const found = await navigator.storage?.estimate?.();
  return found ? { free: Math.max(0, found.quota - found.usage), usage: found.usage } : { free: null, usage: null };
}

// Returns how many percent of its energy the device has; null where the browser does not say.
export async function energy() {
  const battery = await navigator.getBattery?.().catch(() => null);
  return battery ? Math.round(battery.level * 100) : null;
}
