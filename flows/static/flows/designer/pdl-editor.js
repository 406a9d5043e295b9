// Turns the text area of a workflow into an editor; the server answers the picture and the problems of what is typed.
// What is typed and not published is kept in the browser, by the address of the page and the user.
import { EditorView, lineNumbers } from "../../vendor/codemirror-6.43.15/codemirror.js";
import { offset } from "./characters.js";
import { basics, connect, nameOf, problemMarks, problems, replace, write } from "./editor-theme.js";

const AFTER = 400;
const form = document.getElementById("pdl");
const field = document.getElementById("text");
const found = document.getElementById("found");
const kept = document.getElementById("kept");
const own = `pdl ${form.dataset.user} `;
const key = own + location.pathname;

const box = document.createElement("div");
const focused = replace(field, box);
const view = new EditorView({
  doc: field.value, parent: box, root: document,
  extensions: [
    lineNumbers(), basics, problemMarks, write(field),
    EditorView.contentAttributes.of({ "aria-label": nameOf(field), spellcheck: "false", autocapitalize: "off" }),
  ],
});
connect(field, view);
if (focused) view.focus();

function place(link) {
  const line = view.state.doc.line(Math.min(Number(link.dataset.line), view.state.doc.lines));
  return [Math.min(line.from + offset(line.text, Number(link.dataset.column)), line.to), line];
}

// Underlines the word at the place of each problem.
function mark() {
  const marks = [...found.querySelectorAll("a[data-line]")].map((link) => {
    const [from, line] = place(link);
    const word = /^[\w-]+|^\S/.exec(line.text.slice(from - line.from));
    return word ? { from, to: from + word[0].length } : { from: Math.max(line.from, from - 1), to: from };
  });
  view.dispatch({ effects: problems.of(marks) });
}

let turn = 0;
async function look() {
  const mine = ++turn;
  const data = new FormData(form);
  data.set("do", "look");
  found.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(location.pathname, { method: "POST", body: data, credentials: "same-origin" });
    if (mine !== turn) return;
    if (!answer.ok || answer.redirected) throw new Error(answer.status);
    found.innerHTML = await answer.text();
    mark();
  } catch {
    if (mine === turn) failed();
  }
  if (mine === turn) found.removeAttribute("aria-busy");
}

function failed() {
  const note = document.createElement("p");
  note.setAttribute("role", "status");
  note.textContent = found.dataset.tFailed;
  found.replaceChildren(note);
}

const given = field.value;

function stored() {
  try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
}

function keep() {
  try {
    localStorage.setItem(key, JSON.stringify({ base: form.dataset.base, text: field.value }));
  } catch { /* the browser keeps nothing, or has no room */ }
}

let waiting = 0;
form.addEventListener("input", () => {
  keep();
  clearTimeout(waiting);
  waiting = setTimeout(look, AFTER);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-line]");
  if (!link) return;
  event.preventDefault();
  const [at] = place(link);
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
  view.focus();
});

function put(text) {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

// What was published is this text, whatever page it was typed on.
function forgetPublished() {
  for (const name of Object.keys(localStorage).filter((each) => each.startsWith(own))) {
    try {
      if (JSON.parse(localStorage.getItem(name)).text === given) localStorage.removeItem(name);
    } catch { localStorage.removeItem(name); }
  }
}

// A page that answers what was sent has that text; only one that was opened again shows what is kept.
forgetPublished();
const last = stored();
if (form.dataset.opened === "1" && last && last.text !== given) {
  if (last.base === form.dataset.base) {
    put(last.text);
    kept.hidden = false;
    kept.querySelector("button").addEventListener("click", () => {
      put(given);
      localStorage.removeItem(key);
      kept.hidden = true;
      view.focus();
    });
  } else localStorage.removeItem(key);
}
mark();
