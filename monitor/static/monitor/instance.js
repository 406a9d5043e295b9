// One instance: new steps appear at their end of the history, unless that would move what the user reads.
import { LivePage, fetchJson } from "../pages/live.js";
import { flash, parseRow, parts } from "../pages/parts.js";
import { force, update } from "../pages/steady.js";
import { copyButtons } from "../pages/copy.js";
import { pairs } from "./compare.js";
import { looks } from "./look.js";

const MAX_SHOWN = 200;

export function start() {
  copyButtons();
  pairs();
  looks();
  const table = document.querySelector("[data-changes]");
  const body = document.getElementById("rows");
  const button = document.getElementById("new");
  const oldest = table.dataset.order === "oldest";
  const open = table.dataset.open === "1";
  // Rows of other pages of the history are not new: in the middle, only steps after this number are.
  let last = open ? Math.max(0, ...[...body.children].map((row) => Number(row.dataset.seq))) : Number(table.dataset.seq);
  let waiting = [];

  function offer() {
    button.hidden = waiting.length === 0;
    button.textContent = `+${waiting.length} ${waiting.length === 1 ? button.dataset.tOne : button.dataset.tNew}`;
  }
  // The button shows how many steps wait, so steady.js must not count them, too.
  const steps = {
    name: "steps",
    announced: true,
    make(journal) { for (const row of waiting) journal.insert(body, row, oldest ? null : body.firstChild); },
    done() {
      if (waiting.length > MAX_SHOWN) location.reload();
      waiting.forEach(flash);
      waiting = [];
      offer();
    },
  };
  button.addEventListener("click", () => { if (open) force([steps]); else location.href = button.dataset.href; });

  async function refresh() {
    const answer = await fetchJson(`${table.dataset.changes}?seq=${last}`);
    update(parts(answer.parts));
    copyButtons();
    if (waiting.length > MAX_SHOWN) return;
    if (answer.steps.length) last = answer.steps[answer.steps.length - 1][0];
    waiting.push(...answer.steps.map(([, html]) => parseRow(html)).filter((row) => !document.getElementById(row.id)));
    if (answer.more && waiting.length <= MAX_SHOWN) { await refresh(); return; }
    if (open && waiting.length) update([steps]);
    offer();
  }
  new LivePage(refresh, { pause: 200 }).start();
}
