// What this tab keeps of forms that were sent and not answered yet: {"user", "forms": [{"page", "kind", "search",
// "hidden", "at", "state", "entries"}]}. A state is "sent" until the next page is there, "kept" when the log-in page
// was the answer, and "unsure" when the answer was an error or did not arrive.
const KEY = "wedsql-typed", MOST = 20, LONGEST = 1_000_000, AGE_MS = 86_400_000;

export function clear() { try { sessionStorage.removeItem(KEY); } catch { /* there is no storage */ } }

export function read() {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEY));
    const forms = found.forms.filter((one) => Date.now() - one.at < AGE_MS);
    return { user: found.user, forms };
  } catch {
    return { user: "", forms: [] };
  }
}

// Stores the newest forms that fit; without room nothing is kept, and the form is sent as ever.
export function write({ user, forms }) {
  let kept = forms.slice(-MOST), text = JSON.stringify({ user, forms: kept });
  while (kept.length && text.length > LONGEST) {
    kept = kept.slice(1);
    text = JSON.stringify({ user, forms: kept });
  }
  if (!kept.length) { clear(); return; }
  try { sessionStorage.setItem(KEY, text); } catch { clear(); }
}
