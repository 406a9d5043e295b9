// Keeps "3 min ago" up to date while the page is open.
const STEP_MS = 5_000;

// "# min ago": the translation decides where the number goes.
function words(seconds) {
  const t = document.body.dataset;
  const sizes = [[60, t.tSecond, 1], [3600, t.tMinute, 60], [86400, t.tHour, 3600], [Infinity, t.tDay, 86400]];
  const [, pattern, size] = sizes.find(([limit]) => seconds < limit);
  return pattern.replace("#", Math.floor(seconds / size));
}

// The seconds from a time to now, or to another time.
export const seconds = (time, at) => ((at ? Date.parse(at) : Date.now()) - Date.parse(time)) / 1000;
export const age = (time, at) => words(Math.max(0, Math.floor(seconds(time, at))));

export function refreshAges(root = document) {
  for (const element of root.querySelectorAll("time[data-age]")) {
    const text = age(element.dateTime);
    if (element.textContent !== text) element.textContent = text;
  }
}

export function ages() {
  refreshAges();
  setInterval(refreshAges, STEP_MS);
}
