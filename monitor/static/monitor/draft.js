// Whether a field has another value than the page gave it: it may be typed into before this script runs.
function differs(field) {
  if (field.options) {
    const given = [...field.options].filter((option) => option.defaultSelected);
    if (!given.length && !field.multiple) return field.selectedIndex > 0;
    return [...field.options].some((option) => option.selected !== option.defaultSelected);
  }
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  return "defaultValue" in field && field.value !== field.defaultValue;
}

// Keeps what was typed for a case on the server when the page is left.
export function keepDraft() {
  const form = document.querySelector("form[data-draft]");
  if (!form || !navigator.sendBeacon) return;
  let typed = form.dataset.typed === "1" || [...form.elements].some(differs);
  const keep = () => {
    if (!typed) return;
    typed = false;
    const data = new FormData(form);
    data.set("quiet", "1");
    navigator.sendBeacon(form.dataset.draft, data);
  };
  form.addEventListener("input", () => { typed = true; });
  form.addEventListener("submit", () => { typed = false; });
  addEventListener("pagehide", keep);
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") keep(); });
}
