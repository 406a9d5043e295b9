// Colours and completion of conditions. What is permitted is decided by the server; this only splits the text.
import { StreamLanguage, snippet } from "../../vendor/codemirror-6.43.15/codemirror.js";

const OPERATOR = /^(?:::|[~!@#^&|`?+*/%<>=-]+)/;

// Returns the language of conditions for these attributes and these words (the answer of data-completions).
export function conditionLanguage(attributes, words) {
  const names = new Set(attributes.map(({ name }) => name));
  const keywords = new Set(words.keywords), types = new Set(words.types);
  const functions = new Set(words.functions.map(([name]) => name));
  return StreamLanguage.define({
    name: "condition",
    startState: () => ({ text: false }),
    token(stream, state) {
      if (state.text || stream.eat("'")) {
        state.text = !stream.match(/^(?:[^']|'')*'(?!')/);
        if (state.text) stream.skipToEnd();
        return "string";
      }
      if (stream.eatSpace()) return null;
      if (stream.match(/^(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/)) return "number";
      if (stream.match(OPERATOR)) return "operator";
      const word = stream.match(/^[A-Za-z_]\w*/)?.[0].toLowerCase();
      if (word === undefined) { stream.next(); return "punctuation"; }
      if (names.has(word)) return "propertyName";
      if (["true", "false"].includes(word)) return "bool";
      if (word === "null") return "null";
      if (keywords.has(word)) return "keyword";
      if (functions.has(word) && stream.match(/^\s*\(/, false)) return "variableName.function";
      return types.has(word) ? "typeName" : "variableName";
    },
    languageData: { closeBrackets: { brackets: ["(", "[", "'"] } },
  });
}

// Types that attributes cannot have: functions over them come last.
const RARE = /\b(cstring|bit|point|lseg|line|path|box|polygon|circle|inet|cidr|macaddr8?|ts\w+|\w+range|bytea)\b|"char"/;

// Returns the source of completions. `attributes` is called at each completion: they change with the page.
export function completionSource(attributes, words) {
  const fixed = [...wordOptions(words), ...functionOptions(words.functions)];
  return (context) => {
    const before = context.state.sliceDoc(Math.max(0, context.pos - 1_000), context.pos);
    const known = attributes();
    const values = valueOptions(before, context, known);
    if (values) return values;
    if (insideText(before)) return null;
    const word = context.matchBefore(/[A-Za-z_]\w*/);
    if (!word && !context.explicit) return null;
    const typed = (word?.text ?? "").toLowerCase();
    const all = [...attributeOptions(known), ...fixed];
    const options = all.filter(({ starts }) => starts.some((start) => start.startsWith(typed)));
    if (!context.explicit && complete(options, typed)) return null;
    return {
      from: word ? word.from : context.pos,
      options,
      filter: false,  // done: letters that are anywhere in a name would offer a hundred functions
      getMatch: ({ label }) => matched(label, typed),
    };
  };
}

// Whether a whole word is typed, and no attribute that it begins: a list would only cover what follows.
const complete = (options, typed) => options.some(({ label, apply }) => label === typed && !apply)
  && !options.some(({ label, attribute }) => attribute && label !== typed);

const matched = (label, typed) => typed && label.startsWith(typed) ? [0, typed.length] : [];

const insideText = (before) => (before.match(/'/g) ?? []).length % 2 === 1;

// The values of an enum or a boolean directly after a comparison with it, or in its list.
const COMPARED = /([A-Za-z_]\w*)\s*(?:=|<>|!=|\bin\s*\((?:\s*'(?:[^']|'')*'\s*,)*)\s*('[^']*|\w*)$/i;

function valueOptions(before, context, attributes) {
  const [, name, typed] = before.replace(/\bnot\s+in\b/gi, " in").match(COMPARED) ?? [];
  const attribute = name && attributes.find((each) => each.name === name.toLowerCase());
  const labels = attribute?.type === "boolean" ? ["true", "false"]
    : attribute?.options?.length ? attribute.options.map((option) => `'${option.replaceAll("'", "''")}'`) : null;
  if (!labels) return null;
  const closed = typed.startsWith("'") && context.state.sliceDoc(context.pos, context.pos + 1) === "'";
  if (!context.explicit && labels.includes(typed)) return null;
  const options = labels.map((label, i) => ({ label, detail: attribute.label, boost: 99 - i }));
  const validFor = (text) => /^'?[^']*$/.test(text) && !labels.includes(text);
  return { from: context.pos - typed.length, to: context.pos + Number(closed), options, validFor };
}

const attributeOptions = (attributes) => attributes.map(({ name, type, kind, label, description, options }) => ({
  label: name,
  attribute: true,
  starts: [name, ...(label ?? "").toLowerCase().split(/\s+/).filter(Boolean)],
  detail: [label, kind || type].filter(Boolean).join(" · "),
  info: description || options?.length
    ? () => paragraphs([description], options?.map((option) => `'${option}'`)) : undefined,
}));

function functionOptions(functions) {
  const usual = functions.filter(([, given]) => !RARE.test(given));
  const rare = functions.filter(([, given]) => RARE.test(given));
  return [...grouped([...usual, ...rare])].map(([name, forms]) => ({
    label: name,
    starts: [name],
    detail: `(${forms[0][1]})`,
    apply: snippet(`${name}(\${})`),
    info: () => paragraphs([], forms.map(([, given, result]) => `${name}(${given}) → ${result}`)),
  }));
}

function grouped(functions) {
  const found = new Map();
  for (const each of functions) found.set(each[0], [...(found.get(each[0]) ?? []), each]);
  return found;
}

const wordOptions = ({ keywords, types }) => [
  ...keywords.map((label) => ({ label, starts: [label] })),
  ...types.map((label) => ({ label, starts: [label] })),
];

function paragraphs(plain, mono = []) {
  const box = document.createElement("div");
  for (const [texts, style] of [[plain, ""], [mono, "mono"]]) for (const text of texts.filter(Boolean)) {
    const line = box.appendChild(document.createElement("p"));
    line.className = style;
    line.textContent = text;
  }
  return box;
}
