// What does not apply to what is defined is hidden: a final or integrity condition fires nothing, and only an
// attribute with options has options. What was typed in a hidden field stays.
for (const form of document.querySelectorAll("form.options")) {
  const { final, integrity, type } = form.elements;
  const kinds = { fires: () => !final?.checked && !integrity?.value, enum: () => type?.value === "enum" };
  form.addEventListener("change", ({ target }) => {
    if (![final, integrity, type].includes(target)) return;
    for (const field of form.querySelectorAll("[data-needs]")) {
      field.hidden = !kinds[field.dataset.needs]() && !field.classList.contains("wrong");
    }
    for (const group of form.querySelectorAll("details.group")) {
      group.hidden = !group.querySelector(".field:not([hidden])");
    }
  });
}
