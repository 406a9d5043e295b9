// The first page: numbers move in place, rows never do.
import { Line, fetchJson } from "./line.js";
import { parse, replace } from "./parts.js";

export function start() {
  const body = document.getElementById("rows");
  const url = document.querySelector("[data-part-url]")?.dataset.partUrl;
  async function refresh() {
    if (!url) return;
    const { rows } = await fetchJson(url);
    const fresh = parse(`<table><tbody>${rows}</tbody></table>`).querySelectorAll("tr");
    const seen = new Set();
    for (const row of fresh) {
      seen.add(row.id);
      const old = document.getElementById(row.id);
      if (old) replace(old, row);
      else body.append(row);
    }
    for (const row of [...body.children]) if (!seen.has(row.id)) row.remove();
  }
  new Line(refresh, { pause: 1_000 }).start();
}
