// Keeps the number of unread messages in the header. Its requests also say that the user is connected, so they
// go on, less often, while the page is hidden.
import { notices } from "./notices.js";

const EVERY_MS = 20_000;
const HIDDEN_MS = 60_000;

export function unread() {
  const place = document.getElementById("unread");
  if (!place) return;
  const count = place.querySelector("[data-count]");
  async function look() {
    try {
      const options = { credentials: "same-origin", cache: "no-store", headers: { Accept: "application/json" } };
      const response = await fetch(place.dataset.address + notices.query(), options);
      if (response.status === 401) return;
      if (response.ok) {
        const found = await response.json();
        place.hidden = found.unread === 0;
        count.textContent = found.unread;
        notices.show(found.tasks);
      }
    } catch { /* the next look may succeed */ }
    setTimeout(look, document.hidden ? HIDDEN_MS : EVERY_MS);
  }
  setTimeout(look, EVERY_MS);
}
