// Workers announce nothing, so this page looks again every few seconds while somebody looks at it.
import { fetchJson } from "./line.js";
import { replaceParts } from "./parts.js";

const EVERY_MS = 5_000;

export function start() {
  const url = document.querySelector("[data-poll]").dataset.poll;
  async function look() {
    if (!document.hidden) {
      try {
        replaceParts((await fetchJson(url)).parts);
      } catch (error) {
        if (error.status === 401) { location.reload(); return; }
      }
    }
    setTimeout(look, EVERY_MS);
  }
  setTimeout(look, EVERY_MS);
}
