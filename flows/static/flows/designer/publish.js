// The publish page: what publishing would do is computed after the page is shown.
export async function start() {
  const place = document.getElementById("impact");
  const reopen = document.querySelector('[name="reopen_final"]');
  if (!place) return;
  let running = null;

  async function load() {
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    place.setAttribute("aria-busy", "true");
    place.textContent = place.dataset.tWait;
    const address = new URL(place.dataset.address, location.href);
    if (reopen?.checked) address.searchParams.set("reopen", "1");
    try {
      const answer = await fetch(address, { signal });
      if (!answer.ok) throw new Error(answer.status);
      place.innerHTML = await answer.text();
    } catch (error) {
      if (error.name === "AbortError") return;
      place.textContent = place.dataset.tFailed;
    }
    place.removeAttribute("aria-busy");
  }
  reopen?.addEventListener("change", load);
  await load();
}
