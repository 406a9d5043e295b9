// Pages without notifications (workers, lists of jobs, health) are polled every few seconds while visible.
import { Mark } from "./mark.js";
import { becoming, update } from "./steady.js";

const EVERY_MS = 5_000;
const LAST_WORD = { 401: "out", 403: "out", 404: "gone" };

export async function fetchPage(address) {
  // After the end of the session the server redirects to the log-in.
  const response = await fetch(address, { credentials: "same-origin", cache: "no-store", redirect: "manual" });
  if (response.type === "opaqueredirect") throw Object.assign(new Error("signed out"), { status: 401 });
  if (!response.ok) throw Object.assign(new Error(`${response.status}`), { status: response.status });
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

function changes(page) {
  return [...document.querySelectorAll("[data-part]")].flatMap((place) => {
    const fresh = page.querySelector(`[data-part="${place.dataset.part}"]`);
    return fresh ? [becoming(place.dataset.part, place, fresh)] : [];
  });
}

export function start() {
  const mark = new Mark();
  async function look() {
    // What a person moves stays under the pointer.
    if (!document.hidden && !document.querySelector("[data-moving]")) {
      try {
        const page = await fetchPage(location.href);
        document.title = page.title;
        update(changes(page));
        mark.say("live");
      } catch (error) {
        if (error.status in LAST_WORD) { mark.say(LAST_WORD[error.status]); return; }
        mark.stale();
      }
    }
    setTimeout(look, EVERY_MS);
  }
  window.addEventListener("offline", () => mark.stale());
  mark.say("live");
  setTimeout(look, EVERY_MS);
}
