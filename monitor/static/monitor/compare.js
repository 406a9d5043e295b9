// Marks at most two steps for a comparison: a third mark takes the place of the oldest one.
export function pairs() {
  const form = document.getElementById("compare");
  const button = document.getElementById("compare-button");
  if (!form || !button) return;
  let marked = [];
  function show() { button.disabled = marked.length !== 2; }
  form.addEventListener("change", (event) => {
    if (event.target.name !== "compare") return;
    marked = marked.filter((box) => box !== event.target && box.isConnected);
    if (event.target.checked) marked.push(event.target);
    if (marked.length > 2) marked.shift().checked = false;
    show();
  });
  marked = [...form.querySelectorAll('input[name="compare"]:checked')].slice(0, 2);
  show();
}
