// The publish page: what publishing would do, and the scenarios, are computed after the page is shown. The
// choices per group of instances are fields of the form, so that a form sent meanwhile has them.
import { fill } from "./fragment.js";

const PAUSE_MS = 1000;
const CHOICES = '[name="withdraw"], [name="later"], [name="keep_exceptions"]';

export async function start() {
  const impact = document.getElementById("impact");
  const scenarios = document.getElementById("scenarios");
  const choices = document.getElementById("choices");
  const reopen = document.querySelector('[name="reopen_final"]');
  const load = () => fill(impact, parameters(choices, reopen));
  if (impact) {
    reopen?.addEventListener("change", load);
    impact.addEventListener("change", async ({ target: { name, value } }) => {
      keep(choices, impact.querySelectorAll(CHOICES));
      await load();
      impact.querySelector(`[name="${name}"][value="${value}"]`)?.focus();
    });
  }
  await Promise.all([impact && load(), scenarios && fill(scenarios), follow(document.getElementById("requests"))]);
}

// Shows how far publications are until all have ended; then the page is about another version, and is loaded
// again unless something was typed.
async function follow(section) {
  if (!section?.querySelector("[data-running]")) return;
  const lost = document.createElement("p");
  lost.setAttribute("role", "status");
  section.after(lost);
  while (section.querySelector("[data-running]")) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const answer = await fetch(section.dataset.address).catch(() => null);
    lost.textContent = answer?.ok ? "" : section.dataset.tLost;
    if (answer?.ok && !section.contains(document.activeElement)) section.innerHTML = await answer.text();
  }
  if (!document.getElementById("reason")?.value) location.reload();
}

function keep(choices, boxes) {
  const fields = [...boxes].filter((box) => box.checked).map(({ name, value }) => {
    const field = document.createElement("input");
    return Object.assign(field, { type: "hidden", name, value });
  });
  choices?.replaceChildren(...fields);
}

// Returns the choices as parameters of an address; a name may have several values.
function parameters(choices, reopen) {
  const fields = choices ? [...choices.querySelectorAll("input")] : [];
  const pairs = fields.map((field) => [field.name, field.value]);
  return reopen?.checked ? [...pairs, ["reopen", "1"]] : pairs;
}
