// Keeps what was typed for a case on the server when the page is left.
export function keepDraft() {
  const form = document.querySelector("form[data-draft]");
  if (!form || !navigator.sendBeacon) return;
  let typed = form.dataset.typed === "1";
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
