// One step: the slider and the replay fetch the page of another step and show its content in place.
import { parse } from "../pages/parts.js";

export function start() {
  const place = document.getElementById("step");
  const slider = document.getElementById("slider");
  const value = document.getElementById("slider-value");
  const play = document.getElementById("play");
  const speed = document.getElementById("speed");
  const last = Number(place.dataset.last);
  let wanted = Number(place.dataset.seq);
  let running = null;
  let timer;

  const address = (seq) => `${slider.dataset.address}${seq}/`;
  function label() { value.textContent = `${slider.value} / ${last}`; }

  // One request at a time; the slider's last position is shown in the end.
  function show(seq) {
    wanted = seq;
    slider.value = seq;
    label();
    running ??= follow().finally(() => { running = null; });
    return running;
  }
  async function follow() {
    for (let shown = null; shown !== wanted;) {
      shown = wanted;
      const response = await fetch(address(shown), { credentials: "same-origin", cache: "no-store" });
      if (!response.ok || response.redirected) { location.href = address(shown); return; }
      const fresh = parse(await response.text()).getElementById("step");
      place.replaceChildren(...fresh.childNodes);
      place.dataset.seq = shown;
      history.replaceState(null, "", address(shown));
      document.getElementById("compare-with").action = address(shown);
    }
  }
  function stop() {
    clearTimeout(timer);
    timer = undefined;
    play.textContent = play.dataset.tPlay;
    play.setAttribute("aria-pressed", "false");
  }
  async function tick() {
    if (wanted >= last) { stop(); return; }
    await show(wanted + 1);
    if (timer !== undefined) timer = setTimeout(tick, Number(speed.value));
  }
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  play.addEventListener("click", () => {
    if (timer !== undefined) { stop(); return; }
    play.textContent = play.dataset.tPause;
    play.setAttribute("aria-pressed", "true");
    timer = setTimeout(tick, 0);
    if (wanted >= last) show(1);
  });
  slider.form.addEventListener("submit", (event) => { event.preventDefault(); show(Number(slider.value)); });
  document.getElementById("go").hidden = true;
  document.querySelector(".replay").hidden = false;
}
