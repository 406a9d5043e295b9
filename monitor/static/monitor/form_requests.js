// Requests of the form of a task: what is sent, and what came of it.

// What a form sends without its files, which are sent as soon as they are chosen.
export function sending(form) {
  const data = new FormData(form);
  for (const name of [...data.keys()]) if (name.startsWith("file-")) data.delete(name);
  return data;
}

// Sends a form and returns {ok, body}; `out`: the session has ended; `offline`: there was no answer.
export async function sent(address, data, again = true) {
  try {
    const headers = { Accept: "application/json" };
    const answer = await fetch(address, { method: "POST", body: data, credentials: "same-origin", redirect: "manual", headers });
    if (answer.type === "opaqueredirect") return { ok: false, out: true, body: {} };
    const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
    if (answer.status === 403 && !isJson && again && (await renewed(data))) return await sent(address, data, false);
    return { ok: answer.ok && isJson, status: answer.status, body: isJson ? await answer.json() : {} };
  } catch {
    return { ok: false, offline: true, body: {} };  // what was typed stays in the page, and is tried again
  }
}

// After a new log-in the token of the page is that of an old session: reads the present one.
async function renewed(data) {
  const answer = await fetch(location.href, { credentials: "same-origin", redirect: "manual" });
  if (!answer.ok) return false;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const token = page.querySelector("[name=csrfmiddlewaretoken]")?.value;
  if (!token) return false;
  for (const one of document.querySelectorAll("[name=csrfmiddlewaretoken]")) one.value = token;
  data.set("csrfmiddlewaretoken", token);
  return true;
}
