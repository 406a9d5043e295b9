// Light, dark, automatic: in a cookie, so that the server renders the next page in it, and in the admin's
// local storage, so that both are always the same.
const NEXT = { auto: "dark", dark: "light", light: "auto" };
const YEAR = 365 * 24 * 3600;

export function themeButton() {
  const form = document.getElementById("theme-form");
  const button = form?.querySelector("button");
  function choose(theme) {
    document.documentElement.dataset.theme = theme;
    const secure = location.protocol === "https:" ? ";secure" : "";
    document.cookie = `theme=${theme};path=/;max-age=${YEAR};samesite=lax${secure}`;
    localStorage.setItem("theme", theme);
    button.value = NEXT[theme];
    button.title = `${button.dataset.label} ${button.dataset[theme]}`;
    button.querySelector(".sr").textContent = button.title;
  }
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    choose(button.value);
  });
  const kept = localStorage.getItem("theme");
  if (form && kept in NEXT && kept !== document.documentElement.dataset.theme) choose(kept);
}
