// Buttons that copy the text of an element.
export function start() {
  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.source).textContent);
      button.textContent = button.dataset.tDone;
    });
  }
}
