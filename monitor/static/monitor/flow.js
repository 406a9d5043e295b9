// The list of instances: rows on the screen change in place; newer ones wait behind a button.
import { LivePage, fetchJson } from "../pages/live.js";
import { flash, parseRow, parts } from "../pages/parts.js";
import { filterForm } from "./filters.js";
import { timeControl } from "./time.js";
import { becoming, update } from "../pages/steady.js";

export function start() {
  const list = document.querySelector("[data-changes]");
  const button = document.getElementById("new");
  filterForm();
  timeControl();
  button?.addEventListener("click", () => { location.href = button.dataset.href; });

  function changed(wid, html) {
    const row = document.getElementById(`wid-${wid}`);
    if (!row) return [];
    const fresh = parseRow(html);
    const news = fresh.dataset.seq !== row.dataset.seq;
    return [becoming(row.id, row, fresh, () => { if (news) flash(row); })];
  }
  async function refresh(ids) {
    if (!list) return;
    const rows = [...document.querySelectorAll("#rows tr")];
    const stale = ids === null ? rows : rows.filter((row) => (ids.get(Number(row.dataset.wid)) ?? 0) > Number(row.dataset.seq));
    const query = new URLSearchParams({ wids: stale.map((row) => row.dataset.wid).join(",") });
    if (list.dataset.first === "1") query.set("top", rows[0]?.dataset.wid ?? 0);
    const answer = await fetchJson(`${list.dataset.changes}&${query}`);
    update([...parts(answer.parts), ...Object.entries(answer.rows).flatMap(([wid, html]) => changed(wid, html))]);
    if (button) {
      button.hidden = answer.new === 0;
      const one = answer.new === 1 && !answer.more;
      button.textContent = `+${answer.new}${answer.more ? "+" : ""} ${one ? button.dataset.tOne : button.dataset.tNew}`;
    }
  }
  new LivePage(refresh).start();
}
