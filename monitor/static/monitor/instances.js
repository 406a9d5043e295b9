// The list over all flows: rows stay as they are; newer instances wait behind a button.
import { LivePage, fetchJson } from "../pages/live.js";
import { filterForm } from "./filters.js";

export function start() {
  const list = document.querySelector("[data-changes]");
  const button = document.getElementById("new");
  filterForm();
  button?.addEventListener("click", () => { location.href = button.dataset.href; });

  async function refresh() {
    if (!list || list.dataset.first !== "1") return;
    const top = document.querySelector("#rows tr")?.dataset.wid ?? 0;
    const answer = await fetchJson(`${list.dataset.changes}&${new URLSearchParams({ top })}`);
    button.hidden = answer.new === 0;
    const one = answer.new === 1 && !answer.more;
    button.textContent = `+${answer.new}${answer.more ? "+" : ""} ${one ? button.dataset.tOne : button.dataset.tNew}`;
  }
  new LivePage(refresh, { pause: 1_000 }).start();
}
