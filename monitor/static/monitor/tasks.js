// Lists of tasks: an order of one's own by drag and by keyboard, notifications, and the lists as they are now.
import { start as poll } from "../pages/polled.js";
import { noticeButton } from "../pages/notices.js";

const table = () => document.querySelector("[data-movable]");
const rowsOf = (row) => [...row.parentElement.children];
const token = () => document.querySelector("#place [name=csrfmiddlewaretoken]").value;

function say(text) {
  const place = document.querySelector("[data-said]");
  if (place) place.textContent = text;
}

// What the server gets: the task and those between which it is now.
function place(row) {
  const near = (other) => other?.dataset.key ?? "";
  return `${row.dataset.key}:${near(row.previousElementSibling)}:${near(row.nextElementSibling)}`;
}

async function keep(row, undo) {
  const body = new URLSearchParams({ move: place(row), csrfmiddlewaretoken: token() });
  try {
    const response = await fetch(document.getElementById("place").action, {
      method: "POST", body, credentials: "same-origin", headers: { Accept: "application/json" },
    });
    const { error } = await response.json();
    if (error) { undo(); say(error); return; }
    label(row.parentElement);
    const rows = rowsOf(row);
    say(table()?.dataset.tMoved?.replace("#", rows.indexOf(row) + 1).replace("#", rows.length) ?? "");
  } catch { undo(); }
}

// The buttons of each row name its neighbours, for the server.
function label(body) {
  const rows = [...body.children];
  const key = (at) => rows[at]?.dataset.key ?? "";
  rows.forEach((row, at) => {
    for (const button of row.querySelectorAll("[data-move]")) {
      const by = Number(button.dataset.move);
      const there = rows[at + by];
      button.disabled = !there;
      button.value = !there ? "" : by < 0 ? `${key(at)}:${key(at - 2)}:${key(at - 1)}` : `${key(at)}:${key(at + 1)}:${key(at + 2)}`;
    }
  });
}

function moveTo(row, before) {
  const body = row.parentElement;
  const was = row.nextElementSibling;
  const focus = row.contains(document.activeElement) ? document.activeElement : null;
  body.insertBefore(row, before);
  focus?.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
  return () => { body.insertBefore(row, was); focus?.focus({ preventScroll: true }); };
}

function step(row, by) {
  const rows = rowsOf(row);
  const there = rows[rows.indexOf(row) + by];
  if (!there) return;
  keep(row, moveTo(row, by < 0 ? there : there.nextElementSibling));
}

function keys(event) {
  if (!event.altKey || event.ctrlKey || event.metaKey || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
  const row = event.target.closest?.("[data-movable] tbody tr");
  if (!row) return;
  event.preventDefault();
  step(row, event.key === "ArrowUp" ? -1 : 1);
}

// The rows follow the pointer, by mouse and by finger; what was begun can be ended by Escape.
function drag(event) {
  const grip = event.target.closest?.("[data-grip]");
  const row = grip?.closest("[data-movable] tbody tr");
  if (!row || event.button) return;
  event.preventDefault();
  const undo = moveTo(row, row.nextElementSibling);
  const begun = row.previousElementSibling;
  row.dataset.moving = "";
  const follow = (moved) => {
    const over = document.elementFromPoint(row.getBoundingClientRect().left + 4, moved.clientY)?.closest("tr");
    if (!over || over === row || over.parentElement !== row.parentElement) return;
    const box = over.getBoundingClientRect();
    row.parentElement.insertBefore(row, moved.clientY < box.top + box.height / 2 ? over : over.nextElementSibling);
  };
  const end = (kept) => {
    delete row.dataset.moving;
    for (const [name, handler] of Object.entries(handlers)) document.removeEventListener(name, handler);
    if (!kept) undo();
    else if (row.previousElementSibling !== begun) keep(row, undo);
  };
  const escape = (pressed) => { if (pressed.key === "Escape") end(false); };
  // At the document: a row that is put elsewhere loses the capture of the pointer.
  const handlers = {
    pointermove: follow, pointerup: () => end(true), pointercancel: () => end(false), keydown: escape,
  };
  for (const [name, handler] of Object.entries(handlers)) document.addEventListener(name, handler);
}

function click(event) {
  const button = event.target.closest?.("[data-movable] [data-move]");
  if (!button) return;
  event.preventDefault();
  step(button.closest("tr"), Number(button.dataset.move));
}

export function start() {
  document.addEventListener("keydown", keys);
  document.addEventListener("pointerdown", drag);
  document.addEventListener("click", click);
  noticeButton();
  poll();
}
