// The list of instances: rows on the screen change in place; newer ones wait behind a button.
import { Line, fetchJson } from "./line.js";
import { flash, parse, replace, replaceParts } from "./parts.js";
import { filterForm } from "./filters.js";

export function start() {
  const list = document.querySelector("[data-changes]");
  const button = document.getElementById("new");
  filterForm();
  button?.addEventListener("click", () => { location.href = button.dataset.href; });

  async function refresh(ids) {
    if (!list) return;
    const rows = [...document.querySelectorAll("#rows tr")];
    const stale = ids === null ? rows : rows.filter((row) => (ids.get(Number(row.dataset.wid)) ?? 0) > Number(row.dataset.seq));
    const top = rows[0]?.dataset.wid ?? 0;
    const query = new URLSearchParams({ wids: stale.map((row) => row.dataset.wid).join(",") });
    if (list.dataset.first === "1") query.set("top", top);
    const answer = await fetchJson(`${list.dataset.changes}&${query}`);
    for (const [wid, html] of Object.entries(answer.rows)) {
      const old = document.getElementById(`wid-${wid}`);
      const fresh = parse(`<table><tbody>${html}</tbody></table>`).querySelector("tr");
      if (old && replace(old, fresh)) flash(old);
    }
    replaceParts(answer.parts);
    if (button) {
      button.hidden = answer.new === 0;
      button.textContent = `+${answer.new}${answer.more ? "+" : ""} ${button.dataset.tNew}`;
    }
  }
  new Line(refresh).start();
}
