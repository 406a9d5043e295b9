// The trend as a plot, drawn from the table beside it, which is what is shown without JavaScript.
import uPlot from "../vendor/uplot-1.6.32/uPlot.esm.js";

const HEIGHT = 170;
const DAY = 86_400;

// A time in the zone of the browser, like all times of the page.
function written(at) {
  const time = new Date((at - new Date(at * 1000).getTimezoneOffset() * 60) * 1000);
  return time.toISOString();
}

function marks(_, times, axis, space, step) {
  return times.map((at) => (step >= DAY ? written(at).slice(5, 10) : written(at).slice(11, 16)));
}

// The value under the pointer; without one, the last: the legend always has values.
const at = ({ data }, series, index) => data[series][index ?? data[series].length - 1] ?? null;
const moment = (plotted, _, series, index) => {
  const time = at(plotted, series, index);
  return time === null ? "–" : written(time).slice(0, 16).replace("T", " ");
};
const amount = (plotted, _, series, index) => at(plotted, series, index) ?? "–";
let plot = null;
let shown = "";

function data() {
  const rows = [...document.querySelectorAll("#trend-table tr[data-at]")];
  const number = (text) => (text === "None" || text === "" ? null : Number(text));
  return ["at", "finished", "started", "exceptions", "p50", "p95"].map((name) => rows.map((row) => number(row.dataset[name])));
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// light-dark() is resolved only where it is used.
function resolved(place, name) {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  place.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return colour(name) ? found : "gray";
}

function draw(place, values) {
  const [ink, line, main, warm, bad] = ["--muted", "--line", "--main", "--w-ink", "--e-ink"].map((name) => resolved(place, name));
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const { tTime, tFinished, tStarted, tExceptions, tP50, tP95 } = place.dataset;
  plot?.destroy();
  plot = new uPlot({
    width: place.clientWidth,
    height: HEIGHT,
    cursor: { drag: { x: false, y: false } },
    scales: { y: { range: (_, low, high) => [0, Math.max(high ?? 0, 1)] }, s: { range: (_, low, high) => [0, high || 1] } },
    series: [
      { label: tTime, value: moment },
      { label: tFinished, value: amount, stroke: main, width: 2, points: { show: false }, paths: uPlot.paths.stepped({ align: 1 }) },
      { label: tStarted, value: amount, stroke: ink, width: 1, points: { show: false }, paths: uPlot.paths.stepped({ align: 1 }) },
      { label: tExceptions, value: amount, stroke: bad, width: 2, points: { show: false }, paths: uPlot.paths.stepped({ align: 1 }) },
      { label: tP50, value: amount, stroke: warm, width: 1, scale: "s", points: { show: false } },
      { label: tP95, value: amount, stroke: warm, width: 1, dash: [4, 3], scale: "s", points: { show: false } },
    ],
    axes: [{ ...axis, values: marks }, { ...axis, size: 60 }, { ...axis, scale: "s", side: 1, size: 50, grid: { show: false } }],
  }, values, place);
}

export function trend() {
  const place = document.getElementById("plot");
  if (!place) return () => {};
  const table = document.getElementById("trend-table");
  place.hidden = false;
  table.open = false;
  function refresh(force) {
    const values = data();
    const now = JSON.stringify(values);
    if (now === shown && !force) return;
    shown = now;
    if (plot && !force) plot.setData(values);
    else draw(place, values);
  }
  refresh(true);
  new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT })).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => refresh(true));
  new MutationObserver(() => refresh(true)).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return refresh;
}
