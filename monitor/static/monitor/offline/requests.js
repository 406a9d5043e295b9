// Requests to the site.
const TIMEOUT = 20000;

export class Rejected extends Error {
  constructor(status, problem) { super(problem?.message ?? ""); this.status = status; this.problem = problem; }
}

function token() {
  return /(?:^|; )(?:__Host-)?csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? "";
}

// Asks the site, and returns its answer. Whatever is no answer of the site counts as no connection. `longer`: how
// many milliseconds more than others the request may take.
export async function ask(path, body = null, longer = 0) {
  const address = new URL(document.body.dataset.base + path, location);
  address.searchParams.set("language", document.documentElement.lang);
  const answer = await fetch(address, {
    method: body ? "POST" : "GET", body, credentials: "same-origin", redirect: "error", cache: "no-store",
    headers: { Accept: "application/json", "X-CSRFToken": token() }, signal: AbortSignal.timeout(TIMEOUT + longer),
  });
  if (!answer.headers.get("Content-Type")?.startsWith("application/json")) {
    if (answer.status === 401 || answer.status === 403) throw new Rejected(401, null);
    throw new TypeError("no answer of the site");
  }
  const found = await answer.json();
  if (!answer.ok) throw new Rejected(answer.status, found);
  return found;
}
