// Keeps "3 min ago" up to date while the page is open.
const STEP_MS = 5_000;

// "# min ago": the translation decides where the number goes.
function words(seconds) {
  const t = document.body.dataset;
  const [pattern, size] = seconds < 60 ? [t.tSecond, 1] : seconds < 3600 ? [t.tMinute, 60] : seconds < 86400 ? [t.tHour, 3600] : [t.tDay, 86400];
  return pattern.replace("#", Math.floor(seconds / size));
}

export function refreshAges(root = document) {
  for (const element of root.querySelectorAll("time[data-age]")) {
    const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(element.dateTime)) / 1000));
    const text = words(seconds);
    if (element.textContent !== text) element.textContent = text;
  }
}

export function ages() {
  refreshAges();
  setInterval(refreshAges, STEP_MS);
}
