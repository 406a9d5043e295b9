// What every page of the site knows of the work without a connection: whose data this browser can read. The key
// that encrypts them is removed when another person is logged in, and when the person logs out.
export const DATABASE = "wedsql-offline", VERSION = 2, MARK = "wedsql-offline";

// Opens the database of the client, which its first page has made; null where there is none. Only the client
// itself brings it to a newer version: another page takes it as it is.
export function opened(make = null) {
  return new Promise((resolve, reject) => {
    const asked = make ? indexedDB.open(DATABASE, VERSION) : indexedDB.open(DATABASE);
    asked.onupgradeneeded = () => { if (make) make(asked.result); else asked.transaction.abort(); };
    asked.onsuccess = () => {
      asked.result.onversionchange = () => asked.result.close();
      resolve(asked.result);
    };
    asked.onerror = () => (make ? reject(asked.error) : resolve(null));
    asked.onblocked = () => reject(new Error("another page has the database open"));
  });
}

// Removes the keys of all persons but this one. Their data stay, and are read again when they log in.
export async function lockOthers(user) {
  const database = await opened();
  if (!database) return;
  await new Promise((resolve, reject) => {
    const work = database.transaction("people", "readwrite", { durability: "strict" });
    work.objectStore("people").openCursor().onsuccess = ({ target: { result: at } }) => {
      if (!at) return;
      if (at.value.user !== user && at.value.key) at.update({ ...at.value, key: null, files: null });
      at.continue();
    };
    work.oncomplete = resolve;
    work.onabort = () => reject(work.error);
  });
  database.close();
}

// Returns who uses the client here, and how many results are not sent: {"user", "unsent"}; null where no person does.
export function mark() {
  try {
    return JSON.parse(localStorage.getItem(MARK));
  } catch {
    return null;
  }
}

// Guards the data of the client on a page of the site: for another person, and when one logs out.
export async function guardDevice() {
  const header = document.querySelector("header[data-user]"), found = mark();
  if (!header || !found) return;
  const { user, outbox } = header.dataset;
  if (found.user !== user) {
    await lockOthers(user);
    localStorage.removeItem(MARK);
    return;
  }
  document.querySelector("form[data-log-out]")?.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (mark()?.unsent) { location.assign(outbox); return; }
    await lockOthers("");
    localStorage.removeItem(MARK);
    event.target.submit();
  });
}
