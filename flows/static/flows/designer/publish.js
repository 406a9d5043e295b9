// The publish page: what publishing would do, and the scenarios, are computed after the page is shown.
import { fill } from "./fragment.js";

const PAUSE_MS = 1000;

export async function start() {
  const impact = document.getElementById("impact");
  const scenarios = document.getElementById("scenarios");
  const form = document.getElementById("publish");
  if (impact) form?.addEventListener("change", ({ target }) => concerns(target) && show(impact, form, target));
  await Promise.all([impact && show(impact, form), scenarios && fill(scenarios), follow(document.getElementById("requests"))]);
}

const concerns = ({ name }) => ["withdraw", "later", "keep_exceptions", "reopen_final"].includes(name);

// Shows what publishing would do with the present choices. The button waits for it, and the choices that there
// are then stand beside it; nothing moves the button.
async function show(impact, form, changed) {
  const button = form?.querySelector("button[data-waits]"), choices = form?.querySelector("#choices");
  const turn = form ? form.dataset.turn = Number(form.dataset.turn ?? 0) + 1 : 0;
  if (button) button.disabled = true;
  await fill(impact, parameters(form));
  if (form && Number(form.dataset.turn) !== turn) return;  // a newer choice is under way
  const made = impact.querySelector("template[data-choices]");
  if (made && choices) choices.replaceChildren(made.content);
  if (changed) form.querySelector(`[name="${changed.name}"][value="${changed.value}"]`)?.focus();
  if (!button) return;
  button.disabled = false;
  button.removeAttribute("aria-describedby");
  form.querySelector("#why-disabled")?.remove();
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

// Returns the choices as parameters of an address; a name may have several values.
function parameters(form) {
  const fields = form ? [...form.querySelectorAll("#choices input")] : [];
  const pairs = fields.filter((field) => field.type === "hidden" || field.checked).map((field) => [field.name, field.value]);
  return form?.elements.reopen_final?.checked ? [...pairs, ["reopen", "1"]] : pairs;
}
