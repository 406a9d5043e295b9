// The editor of a condition, which condition-field.js fetches when its text area gets the focus.
import {
  Compartment, EditorView, autocompletion, completionKeymap, completionStatus, keymap,
} from "../../vendor/codemirror-6.43.15/codemirror.js";
import { completionSource, conditionLanguage } from "./condition-language.js";
import { basics, connect, nameOf, problemMarks, problems, replace, write } from "./editor-theme.js";

// Shows an editor in the place of the text area of `owner`, a ConditionField, with the same text, selection and focus;
// `known` are the words that it completes.
export function edit(owner, known) {
  const { field } = owner;
  const ends = [field.selectionStart, field.selectionEnd];
  const [anchor, head] = field.selectionDirection === "backward" ? ends.reverse() : ends;
  const box = document.createElement("div");
  const focused = replace(field, box);
  const editor = new ConditionEditor(owner, known, box, { anchor, head });
  if (focused) editor.view.focus();
  return editor;
}

class ConditionEditor {
  constructor(owner, known, parent, selection) {
    Object.assign(this, { owner, known, language: new Compartment() });
    this.view = new EditorView({
      doc: owner.field.value, selection, parent, root: document,
      extensions: [
        keymap.of(completionKeymap), basics, problemMarks, write(owner.field),
        this.language.of(conditionLanguage(owner.attributes(), known)),
        autocompletion({ override: [completionSource(() => owner.attributes(), known)], icons: false }),
        EditorView.contentAttributes.of(() => contentAttributes(owner.field)),
      ],
    });
    connect(owner.field, this.view);
  }

  isCompleting() { return completionStatus(this.view.state) === "active"; }

  // Underlines the problems, a list of { from, to }.
  show(places) { this.view.dispatch({ effects: problems.of(places) }); }

  // Colours the names of the attributes again, which have changed.
  follow() {
    this.view.dispatch({ effects: this.language.reconfigure(conditionLanguage(this.owner.attributes(), this.known)) });
  }
}

function contentAttributes(field) {
  return {
    "aria-label": nameOf(field), "aria-describedby": field.getAttribute("aria-describedby"),
    "aria-invalid": field.getAttribute("aria-invalid") ?? "false", autocapitalize: "off", autocorrect: "off",
    spellcheck: "false", ...(field.dataset.required && { "aria-required": "true" }),
  };
}
