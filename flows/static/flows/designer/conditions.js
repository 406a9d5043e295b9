// The admin's forms: editors for all conditions, also in rows that are added later.
import { enhance } from "./condition-editor.js";

enhance(document);
document.addEventListener("formset:added", ({ target }) => enhance(target));
