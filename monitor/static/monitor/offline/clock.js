// Deadlines on the device: the messages that the site would send, by the clock of the site as far as it is known.
const WRONG = 60000, HOUR = 3600000;

// Returns by how many milliseconds the clock of the site is ahead, from what it said between two moments of the device.
export const ahead = (said, before, after) => Date.parse(said) - (before + after) / 2;

// Returns the present moment by the clock of the site.
export const now = (person) => Date.now() + (person?.ahead ?? 0);

// Returns by how many minutes the clock of the device is wrong; 0 where it is not.
export const wrongBy = (person) => (Math.abs(person?.ahead ?? 0) < WRONG ? 0 : Math.round(Math.abs(person.ahead) / WRONG));

// Returns how it is with the deadline of a task: "late", the hours that were left at the last message, or null.
export function stage({ due_at, warn_hours = [] }, person) {
  if (!due_at) return null;
  const left = Date.parse(due_at) - now(person);
  if (left <= 0) return "late";
  const due = warn_hours.map(Number).filter((hours) => hours > 0 && left <= hours * HOUR);
  return due.length ? Math.min(...due) : null;
}
