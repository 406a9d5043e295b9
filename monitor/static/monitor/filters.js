// The forms of conditions offer only the comparisons of the attribute's type; the server checks them again.
export function filterForm() {
  for (const form of document.querySelectorAll("[data-filter-form]")) attach(form);
}

function attach(form) {
  const { a: attribute, op: operator, v: value } = form.elements;
  const options = form.querySelector("datalist");
  function suit() {
    const chosen = attribute.selectedOptions[0]?.dataset ?? {};
    const allowed = chosen.ops?.split(" ");
    for (const option of operator.options) option.hidden = option.disabled = Boolean(allowed) && !allowed.includes(option.value);
    if (operator.selectedOptions[0]?.disabled) operator.value = allowed[0];
    const offered = chosen.type === "boolean" ? [["true"], ["false"]] : JSON.parse(chosen.options ?? "[]");
    options.replaceChildren(...offered.map(([value, label = value]) => Object.assign(document.createElement("option"), { value, label })));
    const without = operator.value === "null" || operator.value === "notnull";
    value.readOnly = without;
    if (without) value.value = "";
  }
  attribute.addEventListener("change", suit);
  operator.addEventListener("change", suit);
  suit();
}
