// What all editors share: colours from the variables of pages/tokens.css, keys, and the reading of places.
import {
  Decoration, EditorView, HighlightStyle, StateEffect, StateField, bracketMatching, closeBrackets, closeBracketsKeymap,
  defaultKeymap, history, historyKeymap, keymap, syntaxHighlighting, tags,
} from "../../vendor/codemirror-6.43.15/codemirror.js";

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--x-ink)", fontWeight: "600" },
  { tag: tags.string, color: "var(--f-ink)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--w-ink)" },
  { tag: tags.propertyName, color: "var(--r-ink)" },
  { tag: tags.function(tags.variableName), color: "var(--main)" },
  { tag: tags.typeName, color: "var(--main)" },
  { tag: [tags.operator, tags.punctuation, tags.comment, tags.meta], color: "var(--muted)" },
]);

const LOOK = EditorView.theme({
  "&": {
    backgroundColor: "var(--surface)", color: "var(--ink)", border: "1px solid var(--line-strong)", borderRadius: ".35rem",
    fontSize: "inherit",
  },
  "&.cm-focused": { outline: "3px solid var(--focus)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", maxHeight: "24rem" },
  ".cm-content": { padding: ".35rem 0", minHeight: "3.6em", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 .6rem" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--muted)", borderRight: "1px solid var(--line)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--main-soft)", outline: "1px solid var(--main)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--e-bg)" },
  ".cm-problem": {
    textDecoration: "underline wavy var(--e-ink) 1.5px", textUnderlineOffset: ".25em", textDecorationSkipInk: "none",
    backgroundColor: "var(--e-bg)", borderRadius: ".2em",
  },
  ".cm-problem, .cm-problem *": { color: "var(--e-ink)" },
  ".cm-tooltip": {
    backgroundColor: "var(--surface)", color: "var(--ink)", border: "1px solid var(--line-strong)", borderRadius: ".35rem",
    boxShadow: "var(--shadow)", overflow: "hidden",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "15em", maxWidth: "min(40rem, 94vw)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    display: "flex", gap: ".8rem", justifyContent: "space-between", padding: ".15rem .6rem", lineHeight: "1.45",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--main)", color: "var(--on-main)" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-completionDetail": {
    color: "var(--muted)", fontStyle: "normal", fontFamily: "var(--sans)", marginLeft: "0", overflow: "hidden",
    textOverflow: "ellipsis",
  },
  ".cm-tooltip.cm-completionInfo": { padding: ".4rem .6rem", maxWidth: "min(24rem, 90vw)", fontFamily: "var(--sans)" },
  ".cm-completionInfo p": { margin: "0", overflowWrap: "anywhere" },
  ".cm-completionInfo .mono": { fontFamily: "var(--mono)" },
});

// Typing over a selection is done here: Chromium would copy the colours of what it replaces into an inline style,
// which the Content Security Policy forbids.
const typeOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    if (event.inputType !== "insertText" || !event.data || event.isComposing || view.composing || empty) return false;
    const transaction = () => view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type" });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, event.data, transaction))) view.dispatch(transaction());
    return true;
  },
});

// Tab is no key of the editor: it moves the focus, as in every field.
export const basics = [
  LOOK, syntaxHighlighting(COLOURS), history(), bracketMatching(), closeBrackets(), EditorView.lineWrapping, typeOver,
  EditorView.contentAttributes.of({ tabindex: "0" }),
  keymap.of([...closeBracketsKeymap, ...historyKeymap, ...defaultKeymap]),
];

// The effect `problems` has the list of { from, to } to underline; they move with the text that is typed.
export const problems = StateEffect.define();
const MARK = Decoration.mark({ class: "cm-problem" });
export const problemMarks = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    const length = transaction.newDoc.length;
    for (const effect of transaction.effects) if (effect.is(problems)) {
      return Decoration.set(effect.value.filter(({ from, to }) => from < to && to <= length)
        .map(({ from, to }) => MARK.range(from, to)), true);
    }
    return marks.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

// Returns what a screen reader is to say for a field: its label without the colon.
export const nameOf = (field) => (field.labels?.[0]?.textContent ?? field.getAttribute("aria-label") ?? field.name)
  .trim().replace(/:$/, "");

// Shows the editor in the place of its text area, which keeps its name and value and is sent with the form.
export function replace(field, box) {
  if (field.required) { field.required = false; field.dataset.required = "true"; }  // a hidden field cannot show it
  const focused = document.activeElement === field;
  field.before(box);
  field.hidden = true;
  return focused;
}

// Keeps both in step: what is typed goes to the text area and is announced as `input`; what other scripts or a
// reset write there, and announce as `change`, comes into the editor.
export function connect(field, view) {
  const take = () => {
    if (field.value !== view.state.doc.toString()) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: field.value } });
    }
  };
  field.addEventListener("change", take);
  field.form?.addEventListener("reset", () => setTimeout(take));
  for (const label of field.labels ?? []) label.addEventListener("click", () => view.focus());
}
export const write = (field) => EditorView.updateListener.of((update) => {
  if (!update.docChanged) return;
  const text = update.state.doc.toString();
  if (field.value === text) return;
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
});
