// The tab Checks: what takes long is examined after the page is shown, in portions, each with its progress.
export async function start() {
  const area = document.getElementById("findings");
  while (area?.querySelector("[data-running]")) {
    const answer = await fetch(area.dataset.address).catch(() => null);
    if (!answer?.ok) {
      area.setAttribute("role", "alert");
      area.textContent = area.dataset.tLost;
      return;
    }
    area.innerHTML = await answer.text();
  }
}
