// The first page: numbers change in place, rows never move.
import { LivePage, fetchJson } from "../pages/live.js";
import { parse, parts } from "../pages/parts.js";
import { becoming, update } from "../pages/steady.js";
import { timeControl } from "./time.js";
import { trend } from "./trend.js";

export function start() {
  const body = document.getElementById("rows");
  const url = document.querySelector("[data-part-url]")?.dataset.partUrl;

  function one(row) {
    const old = document.getElementById(row.id);
    return old ? becoming(row.id, old, row) : { name: row.id, make: (journal) => journal.insert(body, row, null) };
  }
  timeControl();
  const redraw = trend();
  async function refresh() {
    if (!url) return;
    const { rows, parts: others } = await fetchJson(url);
    const fresh = [...parse(`<table><tbody>${rows}</tbody></table>`).querySelectorAll("tr")];
    const names = new Set(fresh.map((row) => row.id));
    const gone = [...body.children].filter((row) => !names.has(row.id));
    update([...parts(others), ...fresh.map(one), ...gone.map((row) => ({ name: row.id, make: (journal) => journal.remove(row) }))]);
    redraw();
  }
  new LivePage(refresh, { pause: 1_000 }).start();
}
