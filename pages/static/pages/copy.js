// Buttons that copy a text: <button data-copy="17" data-t-copied="copied" hidden>. Without the script they stay hidden.
const SHOWN_MS = 1_500;

export function copyButtons(root = document) {
  if (!navigator.clipboard) return;
  for (const button of root.querySelectorAll("button[data-copy]")) button.hidden = false;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("button[data-copy]");
  if (!button || !navigator.clipboard) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  const before = button.dataset.label ?? button.textContent;
  button.dataset.label = before;
  button.textContent = button.dataset.tCopied;
  setTimeout(() => { button.textContent = before; }, SHOWN_MS);
});
