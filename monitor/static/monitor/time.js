// The slider over the kept history: says the time of its place; the server shows the page as of it.
export function timeControl() {
  const slider = document.getElementById("place");
  if (!slider) return;
  const value = document.getElementById("place-value");
  const { since, now, at: shown } = slider.dataset;
  const form = new Intl.DateTimeFormat(document.documentElement.lang,
    { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
  const first = slider.value;
  function label() {
    const share = Number(slider.value) / Number(slider.max);
    // The page's own time may be between two places of the slider.
    const still = shown && slider.value === first;
    const at = still ? Number(shown) : Number(since) + (Number(now) - Number(since)) * share;
    value.textContent = share === 1 && !still ? slider.dataset.tNow : form.format(at * 1000);
    slider.setAttribute("aria-valuetext", value.textContent);
  }
  let pressed = false;
  slider.addEventListener("input", label);
  // A pointer shows the page when it is released; with keys, Enter or the button does.
  slider.addEventListener("pointerdown", () => { pressed = true; });
  slider.addEventListener("change", () => {
    if (pressed) slider.form.requestSubmit();
    pressed = false;
  });
  label();
}
