// "3 min ago" keeps growing while the page is open.
const STEP_MS = 5_000;

function words(seconds) {
  const t = document.body.dataset;
  if (seconds < 60) return `${seconds} ${t.tSecond}`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} ${t.tMinute}`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} ${t.tHour}`;
  return `${Math.floor(seconds / 86400)} ${t.tDay}`;
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
