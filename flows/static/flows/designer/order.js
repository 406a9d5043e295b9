// Changes the order of a list by dragging the number of a row; the buttons of an open item do the same by keyboard.
// The form `order` sends { item, to }, both places from 1. It is not there while an item is open: what is typed
// in the panel would be lost.
const form = document.getElementById("order");
const rows = [...document.querySelectorAll("table.items tbody tr")];
let dragged = null;

// Returns whether the pointer is over the lower half of a row.
function isBelow(row, { clientY }) {
  const { top, height } = row.getBoundingClientRect();
  return clientY > top + height / 2;
}

function clear() {
  for (const row of rows) row.classList.remove("dragged", "drop-before", "drop-after");
}

function drop(row, event) {
  const from = rows.indexOf(dragged), gap = rows.indexOf(row) + (isBelow(row, event) ? 1 : 0);
  const to = gap > from ? gap - 1 : gap;
  if (to === from) return;
  form.querySelector("[name=item]").value = from + 1;  // `elements.item` is a function
  form.querySelector("[name=to]").value = to + 1;
  form.submit();
}

function enable(row) {
  const handle = row.querySelector(".seq");
  handle.draggable = true;
  handle.title = form.dataset.tDrag;
  handle.addEventListener("dragstart", (event) => {
    dragged = row;
    row.classList.add("dragged");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", handle.textContent);
    event.dataTransfer.setDragImage(row, 0, 0);
  });
  handle.addEventListener("dragend", () => { dragged = null; clear(); });
  row.addEventListener("dragover", (event) => {
    if (!dragged) return;
    event.preventDefault();
    const below = isBelow(row, event);
    for (const each of rows) each.classList.remove("drop-before", "drop-after");
    row.classList.add(below ? "drop-after" : "drop-before");
  });
  row.addEventListener("drop", (event) => {
    if (!dragged) return;
    event.preventDefault();
    drop(row, event);
  });
}

if (form) for (const row of rows) enable(row);
