// The rows of tables in the form of a task: added, moved and removed by buttons, or with Alt and the arrow keys.

function filled(text, values) {
  return text.replace(/%\((\w+)\)s/g, (all, name) => values[name] ?? all);
}

function changed(body) { body.dispatchEvent(new Event("change", { bubbles: true })); }

// Numbers the labels of the rows again; the names of their controls stay.
function number(body) {
  [...body.rows].forEach((row, place) => {
    for (const one of row.querySelectorAll("[data-label]")) one.ariaLabel = `${one.dataset.label} ${place + 1}`;
  });
}

function placeOf(name) { return Number(/^cell-.+?-(\d+)-/.exec(name)?.[1] ?? -1); }

function added(body) {
  const places = [...body.querySelectorAll("[name^=cell-]")].map((one) => placeOf(one.name));
  const row = body.lastElementChild.cloneNode(true);
  for (const one of row.querySelectorAll("input, select, textarea")) {
    one.name = one.name.replace(/^(cell-.+?-)\d+(-)/, (all, before, after) => `${before}${Math.max(...places) + 1}${after}`);
    one.removeAttribute("aria-invalid");
    one.value = "";
  }
  body.append(row);
  number(body);
  return row;
}

// Makes the rows those that have these controls, in their order: some were added, moved or removed.
export function layRows(entry, names) {
  const body = entry.querySelector("[data-rows] tbody"), places = new Set(names.map(placeOf));
  if (!body || !places.size) return;
  const rows = [...places].filter((place) => place <= 999).map((place) => {
    const there = body.querySelector(`[name*="-${place}-"]`);
    if (there) return there.closest("tr");
    const row = added(body);
    for (const one of row.querySelectorAll("[name]")) one.name = one.name.replace(/^(cell-.+?-)\d+(-)/, `$1${place}$2`);
    return row;
  });
  body.replaceChildren(...rows);
  number(body);
}

function moved(row, step, status, texts) {
  const body = row.parentElement, from = row.sectionRowIndex;
  const other = body.rows[from + step];
  if (!other) return;
  const focused = document.activeElement;
  if (step < 0) other.before(row);
  else other.after(row);
  focused?.focus();  // a node that is moved loses it
  number(body);
  status.textContent = filled(texts.tMoved, { from: from + 1, to: from + step + 1 });
  changed(body);
}

function removed(row, status, texts) {
  const body = row.parentElement, place = row.sectionRowIndex;
  if (body.rows.length === 1) added(body);
  row.remove();
  number(body);
  (body.rows[place] ?? body.lastElementChild).querySelector("input, select, textarea").focus();
  status.textContent = filled(texts.tRemoved, { row: place + 1 });
  changed(body);
}

function edit(table) {
  const body = table.tBodies[0], around = table.closest("fieldset");
  const status = around.querySelector("[data-rows-status]"), add = around.querySelector("[data-add-row]");
  for (const one of table.querySelectorAll("[data-row-tools]")) one.hidden = false;
  add.hidden = false;
  add.addEventListener("click", () => added(body).querySelector("input, select, textarea").focus());
  body.addEventListener("click", (event) => {
    const button = event.target.closest("button"), row = button?.closest("tr");
    if (!button) return;
    if (button.dataset.move) moved(row, Number(button.dataset.move), status, table.dataset);
    else removed(row, status, table.dataset);
  });
  body.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!event.altKey || !step) return;
    event.preventDefault();
    moved(event.target.closest("tr"), step, status, table.dataset);
  });
}

export function editTables(form) {
  for (const table of form.querySelectorAll("[data-rows]")) edit(table);
}
