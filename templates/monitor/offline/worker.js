{% autoescape off %}const FACTS = {{ facts }};
{% endautoescape %}// Serves the client without a connection. What is kept belongs to no person: the page, styles and programs.
const CACHE = `wedsql-offline-${FACTS.version}`;
const LOST_AFTER = 4000;

self.addEventListener("install", (event) => {
  importScripts(FACTS.background);  // what is imported now can be imported later, without a connection, too
  event.waitUntil(keep());
  event.waitUntil(route(event).catch(() => {}));  // without routes the worker answers, too
});

// Has the browser take what is kept by itself, where it can: a page does not wait until this worker has started. An
// address with parameters is no such one; the worker leads it to its page.
async function route(event) {
  await event.addRoutes?.(FACTS.files.map((pathname) => (
    { condition: { urlPattern: { pathname, search: "" } }, source: { cacheName: CACHE } })));
}

// The browser has found a connection while a result waits, which a page has asked for.
self.addEventListener("sync", (event) => {
  if (event.tag !== "wedsql-results") return;
  if (!self.sendInBackground) importScripts(FACTS.background);  // not whenever the worker starts
  event.waitUntil(self.sendInBackground());
});

// Fetches each file past the cache of the browser; an answer that was redirected would fail a navigation.
async function keep() {
  const cache = await caches.open(CACHE);
  await Promise.all(FACTS.files.map(async (address) => {
    const answer = await fetch(address, { cache: "reload", credentials: "omit", redirect: "error" });
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    await cache.put(address, answer);
  }));
}

self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("wedsql-offline-") && name !== CACHE) await caches.delete(name);
  await self.clients.claim();
})()));

// A page asks for the new version; it is given only when no form is open in any page.
self.addEventListener("message", (event) => {
  if (event.data !== "take over") return;
  event.waitUntil(navigator.locks.request("wedsql-form", { ifAvailable: true }, (lock) => lock && self.skipWaiting()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event, { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (FACTS.files.includes(pathname)) event.respondWith(kept(pathname, request));
  else if (request.mode === "navigate") event.respondWith(opened(request, pathname));
});

let cache = null;

async function kept(pathname, request) {
  cache ??= caches.open(CACHE);  // once, not for each of the files of a page
  return await (await cache).match(pathname) ?? fetch(request);
}

// The address of the client leads to its page in the language of the reader, while the site says which one.
async function opened(request, pathname) {
  try {
    return await fetch(request, { signal: AbortSignal.timeout(LOST_AFTER) });
  } catch {
    const chosen = FACTS.files.slice(0, FACTS.pages).find((one) => one.includes(`/${navigator.language.toLowerCase()}/`));
    return Response.redirect(chosen ?? FACTS.files[0]);
  }
}
