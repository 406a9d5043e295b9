// The first page: numbers change in place, rows never move.
import { Line, fetchJson } from "../pages/line.js";
import { parse } from "../pages/parts.js";
import { becoming, update } from "../pages/steady.js";

export function start() {
  const body = document.getElementById("rows");
  const url = document.querySelector("[data-part-url]")?.dataset.partUrl;

  function one(row) {
    const old = document.getElementById(row.id);
    return old ? becoming(row.id, old, row) : { name: row.id, make: (journal) => journal.insert(body, row, null) };
  }
  async function refresh() {
    if (!url) return;
    const { rows } = await fetchJson(url);
    const fresh = [...parse(`<table><tbody>${rows}</tbody></table>`).querySelectorAll("tr")];
    const names = new Set(fresh.map((row) => row.id));
    const gone = [...body.children].filter((row) => !names.has(row.id));
    update([...fresh.map(one), ...gone.map((row) => ({ name: row.id, make: (journal) => journal.remove(row) }))]);
  }
  new Line(refresh, { pause: 1_000 }).start();
}
