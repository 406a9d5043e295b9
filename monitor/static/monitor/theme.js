// Light, dark, automatic: kept in a cookie, so that the server's next page has it from its first byte.
const NEXT = { auto: "dark", dark: "light", light: "auto" };
const YEAR = 365 * 24 * 3600;

export function themeButton() {
  const form = document.getElementById("theme-form");
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    const chosen = button.value;
    document.documentElement.dataset.theme = chosen;
    const secure = location.protocol === "https:" ? ";secure" : "";
    document.cookie = `theme=${chosen};path=/;max-age=${YEAR};samesite=lax${secure}`;
    button.value = NEXT[chosen];
    button.title = `${button.dataset.label} ${button.dataset[chosen]}`;
    button.querySelector(".sr").textContent = button.title;
  });
}
