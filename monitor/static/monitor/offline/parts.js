// Parts of the pages of the client: elements, and texts in the language of the page.
const texts = JSON.parse(document.getElementById("texts").textContent);

// Returns a text with its facts: "{n} results".
export function t(name, facts = {}) {
  return texts[name].replace(/\{(\w+)\}/g, (all, key) => facts[key] ?? all);
}

// Returns an element with attributes, listeners (on…), and children.
export function el(name, given = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((one) => one !== null));
  return made;
}

export const moment = (text) => new Date(text).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });

// Shows a page: its title, which gets the focus after a change of the page, and its content.
export function show(title, ...content) {
  const main = document.getElementById("main"), heading = el("h1", { tabindex: "-1" }, title);
  main.replaceChildren(el("div", { class: "head" }, heading), ...content.filter((one) => one !== null));
  document.title = `${title} · WED-SQL`;
  return heading;
}

export function say(text) { document.getElementById("said").textContent = text; }

// Asks before something that cannot be undone; resolves to whether it is to be done.
export function confirmed(question, action) {
  return new Promise((resolve) => {
    const close = (answer) => () => { dialog.close(); dialog.remove(); resolve(answer); };
    const dialog = el("dialog", { class: "panel pad", "aria-labelledby": "question" },
      el("p", { id: "question" }, question),
      el("p", { class: "actions" },
        el("button", { type: "button", class: "danger", onclick: close(true) }, action),
        el("button", { type: "button", onclick: close(false) }, t("cancel"))));
    dialog.addEventListener("cancel", close(false));
    document.body.append(dialog);
    dialog.showModal();
  });
}
