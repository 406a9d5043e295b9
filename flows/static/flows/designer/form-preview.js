// Shows the form of a task as it is typed, at two widths.
const AFTER = 400;

function shown(area, kind) {
  const figure = document.createElement("figure");
  figure.className = kind;
  const title = document.createElement("figcaption");
  title.textContent = kind === "phone" ? area.dataset.tPhone : area.dataset.tDesktop;
  const place = document.createElement("div");
  place.inert = true;  // it is looked at, not filled in
  figure.append(title, place);
  return [figure, place];
}

function preview(area) {
  const around = document.createElement("div");
  around.className = "form-preview";
  const views = ["desktop", "phone"].map((kind) => [kind, ...shown(area, kind)]);
  around.append(...views.map(([, figure]) => figure));
  area.after(around);
  let last = 0;
  const draw = async () => {
    const turn = ++last;
    around.hidden = !area.value.trim();
    if (around.hidden) return;
    for (const [kind, , place] of views) {
      const data = new FormData(area.form);
      data.set("do", "form");
      data.set("prefix", `${kind}-`);
      try {
        const answer = await fetch(location.pathname, { method: "POST", body: data, credentials: "same-origin" });
        if (turn !== last) return;
        if (answer.ok) place.innerHTML = await answer.text();
      } catch {
        return;  // without a connection the last one stays
      }
    }
  };
  let waiting = 0;
  area.form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(draw, AFTER); });
  draw();
}

for (const area of document.querySelectorAll("[data-form-preview]")) preview(area);
