// Keys of lists and pages, for users without a pointer: J and K move through the rows, H and L through the pages,
// [ and ] through the tabs of a flow; N takes the next case or task, F goes to the filter, or to the first field of a task.
// They can be turned off in their list (WCAG 2.1.4).
// "/" and Ctrl-K belong to the search (palette.js).
const TYPING = "input:not([type=checkbox]):not([type=range]), select, textarea, [contenteditable]";

const rows = () => [...document.querySelectorAll("main table.grid tbody tr, main .tree > li")]
  .filter((row) => row.querySelector("a[href]") && row.checkVisibility());
const current = () => document.activeElement?.closest?.("tr, .tree > li");

function move(by) {
  const all = rows();
  if (!all.length) return;
  const at = all.indexOf(current());
  const row = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
  row.querySelector("th a[href], a[href]").focus();
  row.scrollIntoView({ block: "nearest" });
}
function turn(rel) { document.querySelector(`main a[rel="${rel}"]`)?.click(); }
function tab(by) {
  const tabs = [...document.querySelectorAll("main nav.tabs a")];
  tabs[tabs.findIndex((each) => each.getAttribute("aria-current") === "page") + by]?.click();
}
function filter() {
  const fields = [...document.querySelectorAll("main [data-task-form] :is(input, select, textarea, button)")];
  const first = fields.find((each) => !each.disabled && !each.readOnly && each.checkVisibility());
  (document.querySelector("main [data-filter], main #filter-a, main #compare") ?? first)?.focus();
}
function next() { document.querySelector("main [data-next-case]")?.click(); }
function mark() { current()?.querySelector('input[type="checkbox"]')?.click(); }
function help() {
  const dialog = document.getElementById("keys");
  if (dialog && !dialog.open) dialog.showModal();
}

const KEYS = {
  j: () => move(1), k: () => move(-1), h: () => turn("prev"), l: () => turn("next"), f: filter, x: mark, n: next, "?": help,
  "[": () => tab(-1), "]": () => tab(1),
};

export function singleKeys() {
  try { return localStorage.getItem("keys") !== "off"; } catch { return true; }
}

function choice() {
  const [open, box] = [document.getElementById("keys-open"), document.getElementById("keys-on")];
  if (!open || !box) return;
  open.hidden = false;
  open.addEventListener("click", help);
  box.checked = singleKeys();
  box.addEventListener("change", () => {
    try { localStorage.setItem("keys", box.checked ? "on" : "off"); } catch { box.checked = true; }
  });
}

export function keys() {
  choice();
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.(TYPING)) return;
    if (document.querySelector("dialog[open]")) return;
    const action = KEYS[event.key];
    if (!action || !singleKeys()) return;
    event.preventDefault();
    action();
  });
}
