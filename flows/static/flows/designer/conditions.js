// The admin's forms: fields of all conditions, also in rows that are added later.
import { enhance } from "./condition-field.js";

enhance(document);
document.addEventListener("formset:added", ({ target }) => enhance(target));
