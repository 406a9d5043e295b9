// Turns the text area of the whole definition into an editor. Without JavaScript it is what people type in.
// The JSON element `marks` has the places of problems as [start, end], in characters from 0; a link with
// data-line and data-column, both from 1, leads to that place.
import { yaml } from "../../vendor/codemirror-6.43.15/codemirror-yaml.js";
import { EditorState, EditorView, lineNumbers } from "../../vendor/codemirror-6.43.15/codemirror.js";
import { offset } from "./characters.js";
import { basics, connect, nameOf, problemMarks, problems, replace, write } from "./editor-theme.js";

const field = document.getElementById("definition");
const box = document.createElement("div");
const focused = replace(field, box);
const view = new EditorView({
  doc: field.value, parent: box, root: document,
  extensions: [
    lineNumbers(), yaml(), basics, problemMarks, write(field),
    EditorState.readOnly.of(field.readOnly),
    EditorView.contentAttributes.of({ "aria-label": nameOf(field), spellcheck: "false", autocapitalize: "off" }),
  ],
});
connect(field, view);
if (focused) view.focus();

const marked = JSON.parse(document.getElementById("marks").textContent);
view.dispatch({ effects: problems.of(marked.map(([from, to]) => (
  { from: offset(field.value, from + 1), to: offset(field.value, to + 1) }))) });

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-line]");
  if (!link) return;
  event.preventDefault();
  const line = view.state.doc.line(Math.min(Number(link.dataset.line), view.state.doc.lines));
  const at = Math.min(line.from + offset(line.text, Number(link.dataset.column)), line.to);
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
  view.focus();
});
