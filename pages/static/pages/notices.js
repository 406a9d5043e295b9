// Notifications of the browser about new tasks, for who has asked for them in this browser. Of several pages the
// first that learns of a task shows it.
const ASKED = "task-notices";
const LAST = "task-notices-last";

function kept(name) {
  try { return localStorage.getItem(name); } catch { return null; }
}
function keep(name, value) {
  try { localStorage.setItem(name, value); } catch { /* a notification may come twice */ }
}
const possible = () => "Notification" in window && typeof Notification.requestPermission === "function";
const on = () => possible() && kept(ASKED) === "on" && Notification.permission === "granted";

export const notices = {
  // What a request for unread messages asks besides: what has come since the last task that is known.
  query() { return on() ? `?tasks=${kept(LAST) ?? ""}` : ""; },
  show(found) {
    if (!found?.length || !on()) return;
    const last = Number(kept(LAST) ?? 0);
    const fresh = kept(LAST) === null ? [] : found.filter((each) => each.task > last);
    keep(LAST, Math.max(last, ...found.map((each) => each.task)));
    for (const each of fresh.reverse()) notice(each);
  },
};

function notice({ task, title, text, href }) {
  try {
    const shown = new Notification(title, { body: text, tag: `task-${task}`, icon: "/static/wedsql_site/mark.svg" });
    shown.addEventListener("click", () => { window.focus(); location.assign(href); shown.close(); });
  } catch { /* a phone shows none without a service worker */ }
}

// The button by which a person asks for notifications, and ends them.
export function noticeButton() {
  const button = document.querySelector("[data-notify]");
  if (!button || !possible()) return;
  const words = button.dataset;
  function label() {
    button.hidden = false;
    button.disabled = Notification.permission === "denied";
    button.textContent = button.disabled ? words.tDenied : on() ? words.tOff : words.tOn;
    button.setAttribute("aria-pressed", String(on()));
  }
  button.addEventListener("click", async () => {
    if (on()) keep(ASKED, "off");
    else if (await Notification.requestPermission() === "granted") keep(ASKED, "on");
    label();
  });
  label();
}
