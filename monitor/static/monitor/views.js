// Counts that would have made the page slow are fetched when it is shown.
import { fetchPage } from "../pages/polled.js";
import { becoming, update } from "../pages/steady.js";

export async function start() {
  const link = document.querySelector("[data-uncounted]");
  const place = document.querySelector('[data-part="views"]');
  if (!link || !place) return;
  const page = await fetchPage(link.href);
  update([becoming("views", place, page.querySelector('[data-part="views"]'))]);
}
