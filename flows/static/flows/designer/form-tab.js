// The tab Forms: shows the form as it is typed, and moves sections and fields by dragging and by keyboard.
// Each move is a button of the form, so that what is typed in the panel is saved with it.
const AFTER = 400;
const form = document.getElementById("form");
const parts = [...document.querySelectorAll("[data-part]")].filter((part) => part.querySelector("a"));
const looks = [...document.querySelectorAll("[data-look]")];
const status = document.getElementById("looks-status");
let touched = false, last = 0, waiting = 0, dragged = null;

for (const hint of document.querySelectorAll("[data-scripted]")) hint.hidden = false;

function press(value) {
  const button = document.createElement("button");
  button.name = "do";
  button.value = value;
  button.hidden = true;
  form.append(button);
  form.requestSubmit(button);
}

// How the form looks

async function draw() {
  const turn = ++last;
  for (const place of looks) {
    const data = new FormData(form);
    data.set("do", "look");
    data.set("prefix", `${place.dataset.look}-`);
    try {
      const answer = await fetch(location.pathname, { method: "POST", body: data, credentials: "same-origin" });
      if (turn !== last) return;
      if (!answer.ok || answer.redirected) throw new Error(answer.status);
      place.innerHTML = await answer.text();
      status.textContent = "";
    } catch {
      status.textContent = status.dataset.tLost;
      return;
    }
  }
}

function follow({ target }) {
  if (target.name?.startsWith("attribute-")) return;
  touched = true;
  clearTimeout(waiting);
  waiting = setTimeout(draw, AFTER);
}

for (const kind of ["input", "change"]) form.addEventListener(kind, follow);

// Opening another part saves what was typed of this one.
for (const part of parts) {
  part.querySelector("a").addEventListener("click", (event) => {
    if (!touched || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    form.elements.namedItem("next").value = part.dataset.part;
    press("save");
  });
}

// Order

function isSection(part) {
  return !part.dataset.part.includes(".");
}

// Returns the place after one step over the ends of sections, null at an end.
function beside(part, by) {
  const like = parts.filter((one) => isSection(one) === isSection(part));
  if (isSection(part)) return like[like.indexOf(part) + by]?.dataset.part ?? null;
  const [section, field] = part.dataset.part.split(".").map(Number);
  const inside = parts.filter((one) => one.dataset.part.startsWith(`${section}.`)).length;
  if (field + by >= 0 && field + by < inside) return `${section}.${field + by}`;
  const there = parts.some((one) => one.dataset.part === String(section + by));
  return there ? (by < 0 ? String(section + by) : `${section + by}.0`) : null;
}

function isBelow(part, { clientY }) {
  const { top, height } = part.getBoundingClientRect();
  return clientY > top + height / 2;
}

// Returns where what is dragged would be if it is dropped at a part; null where it cannot be.
function target(part, event) {
  if (isSection(dragged)) return isSection(part) ? part.dataset.part : null;
  const [section, field] = part.dataset.part.split(".").map(Number);
  if (isSection(part)) return `${section}.0`;
  const gap = field + (isBelow(part, event) ? 1 : 0);
  const [from, at] = dragged.dataset.part.split(".").map(Number);
  return `${section}.${from === section && gap > at ? gap - 1 : gap}`;
}

function clear() {
  for (const part of parts) part.classList.remove("dragged", "drop-before", "drop-after");
}

function enable(part) {
  part.draggable = true;
  part.querySelector("a").draggable = false;
  part.addEventListener("keydown", (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || !event.altKey) return;
    event.preventDefault();
    const to = beside(part, by);
    if (to !== null) press(`move:${part.dataset.part}:${to}`);
  });
  part.addEventListener("dragstart", (event) => {
    dragged = part;
    part.classList.add("dragged");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", part.dataset.part);
  });
  part.addEventListener("dragend", () => { dragged = null; clear(); });
  part.addEventListener("dragover", (event) => {
    if (!dragged || target(part, event) === null) return;
    event.preventDefault();
    for (const each of parts) each.classList.remove("drop-before", "drop-after");
    part.classList.add(isBelow(part, event) ? "drop-after" : "drop-before");
  });
  part.addEventListener("drop", (event) => {
    if (!dragged) return;
    event.preventDefault();
    const to = target(part, event);
    if (to !== null && to !== dragged.dataset.part) press(`move:${dragged.dataset.part}:${to}`);
  });
}

for (const part of parts) enable(part);
