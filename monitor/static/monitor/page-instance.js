// One instance: new steps appear at their end of the trace, unless the reader is inside it; then they wait behind a button.
import { Line, fetchJson } from "./line.js";
import { flash, parse, replaceParts } from "./parts.js";

const MAX_SHOWN = 200;

export function start() {
  const table = document.querySelector("[data-changes]");
  const body = document.getElementById("rows");
  const button = document.getElementById("new");
  const oldest = table.dataset.order === "oldest";
  const open = table.dataset.open === "1";
  // What other pages of the trace show is not new: in the middle, only what comes after this moment is.
  let last = open ? Math.max(0, ...[...body.children].map((row) => Number(row.dataset.seq))) : Number(table.dataset.seq);
  let waiting = [];

  const busy = () => !oldest && (body.matches(":hover") || body.contains(document.activeElement));
  function show() {
    for (const html of waiting) {
      const row = parse(`<table><tbody>${html}</tbody></table>`).querySelector("tr");
      if (document.getElementById(row.id)) continue;
      if (oldest) body.append(row);
      else body.prepend(row);
      flash(row);
    }
    waiting = [];
    button.hidden = true;
  }
  button.addEventListener("click", () => { if (open) show(); else location.search = ""; });

  async function refresh() {
    // A page in the middle of a long trace shows what it shows; only the parts above it move.
    const answer = await fetchJson(`${table.dataset.changes}?seq=${last}`);
    replaceParts(answer.parts);
    if (answer.steps.length) last = answer.steps[answer.steps.length - 1][0];
    waiting.push(...answer.steps.map(([, html]) => html));
    if (waiting.length > MAX_SHOWN) { location.reload(); return; }
    if (open && !busy()) show();
    else if (waiting.length) {
      button.hidden = false;
      button.textContent = `+${waiting.length} ${button.dataset.tNew}`;
    }
    if (answer.more) await refresh();
  }
  body.addEventListener("pointerleave", () => { if (open && waiting.length && !busy()) show(); });
  new Line(refresh, { pause: 200 }).start();
}
