// The forms of conditions offer only the comparisons of the attribute's type, which the server checks again, and
// the values that there are.
import { fetchJson } from "../pages/live.js";

export function filterForm() {
  for (const form of document.querySelectorAll("[data-filter-form]")) attach(form);
}

function attach(form) {
  const { a: attribute, op: operator, v: value } = form.elements;
  const options = form.querySelector("datalist");
  let asked = "";

  function offer(values) {
    const made = values.map(([value, label = value]) => Object.assign(document.createElement("option"), { value, label }));
    options.replaceChildren(...made);
  }

  function suit() {
    const chosen = attribute.selectedOptions[0]?.dataset ?? {};
    const allowed = chosen.ops?.split(" ");
    for (const option of operator.options) option.hidden = option.disabled = Boolean(allowed) && !allowed.includes(option.value);
    if (operator.selectedOptions[0]?.disabled) operator.value = allowed[0];
    const without = operator.value === "null" || operator.value === "notnull";
    value.readOnly = without;
    if (without) value.value = "";
  }

  function known() {
    const chosen = attribute.selectedOptions[0]?.dataset ?? {};
    return chosen.type === "boolean" ? [["true"], ["false"]] : JSON.parse(chosen.options ?? "[]");
  }

  // What has no fixed values is asked for when the person comes to the value.
  async function ask() {
    const name = attribute.value;
    if (!name || asked === name || known().length || !form.dataset.filterForm) return;
    asked = name;
    const answer = await fetchJson(form.dataset.filterForm + encodeURIComponent(name)).catch(() => null);
    if (attribute.value === name) offer(answer?.values ?? []);
  }

  attribute.addEventListener("change", () => {
    asked = "";
    offer(known());
    suit();
    if (document.activeElement === value) ask();
  });
  operator.addEventListener("change", suit);
  value.addEventListener("focus", ask);
  offer(known());
  suit();
}
