// The language of the text of a definition; a module of its own, since conditions do not need it.
export { yaml } from "@codemirror/lang-yaml";
