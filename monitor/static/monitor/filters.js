// The filter form offers only the comparisons of the attribute's type; the server checks them again.
export function filterForm() {
  const attribute = document.getElementById("filter-a");
  const operator = document.getElementById("filter-op");
  const value = document.getElementById("filter-v");
  const options = document.getElementById("filter-options");
  if (!attribute) return;
  function suit() {
    const chosen = attribute.selectedOptions[0]?.dataset ?? {};
    const allowed = chosen.ops?.split(" ");
    for (const option of operator.options) option.hidden = option.disabled = Boolean(allowed) && !allowed.includes(option.value);
    if (operator.selectedOptions[0]?.disabled) operator.value = allowed[0];
    const offered = chosen.type === "boolean" ? ["true", "false"] : (chosen.options ?? "").split("|").filter(Boolean);
    options.replaceChildren(...offered.map((text) => Object.assign(document.createElement("option"), { value: text })));
    const without = operator.value === "null" || operator.value === "notnull";
    value.readOnly = without;
    if (without) value.value = "";
  }
  attribute.addEventListener("change", suit);
  operator.addEventListener("change", suit);
  suit();
}
