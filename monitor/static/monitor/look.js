// Shows a masked value in its place after the user has given a reason; without JavaScript a page shows it.
async function ask(form) {
  const headers = { Accept: "application/json" };
  const response = await fetch(form.action, { method: "POST", headers, body: new FormData(form), credentials: "same-origin" });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer.values[form.elements.attribute.value];
}

function show(form, html) {
  const cell = form.closest("td");
  cell.innerHTML = html;
  cell.querySelector("[data-revealed]").focus();
}

function fail(form, text) {
  const line = form.querySelector("[role=alert]");
  line.hidden = false;
  line.textContent = text;
}

export function looks() {
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form[data-look]");
    if (!form) return;
    event.preventDefault();
    const button = form.querySelector("button");
    if (button.disabled) return;
    button.disabled = true;
    try {
      show(form, await ask(form));
    } catch (error) {
      fail(form, error instanceof SyntaxError || error instanceof TypeError ? form.dataset.failed : error.message);
      button.disabled = false;
    }
  });
}
