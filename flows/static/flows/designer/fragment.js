// Parts of a page that the server computes after the page is shown.
const running = new WeakMap();

// Fetches the part from its data-address with these parameters, an object or pairs; a newer call replaces an
// older one.
export async function fill(place, parameters = {}) {
  running.get(place)?.abort();
  const request = new AbortController();
  running.set(place, request);
  place.setAttribute("aria-busy", "true");
  place.textContent = place.dataset.tWait;
  const address = new URL(place.dataset.address, location.href);
  const pairs = Array.isArray(parameters) ? parameters : Object.entries(parameters);
  for (const [name, value] of pairs) address.searchParams.append(name, value);
  try {
    const answer = await fetch(address, { signal: request.signal });
    if (!answer.ok) throw new Error(answer.status);
    place.innerHTML = await answer.text();
  } catch (error) {
    if (error.name === "AbortError") return;
    place.textContent = place.dataset.tFailed;
  }
  place.removeAttribute("aria-busy");
}
