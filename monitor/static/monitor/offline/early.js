// Reads what the list shows while the modules of the client are being loaded, which decrypt it: {"person", "outbox",
// "packages"}, each as it is kept; null where there is no database yet, which is left to them, or no key.
globalThis.early = new Promise((resolve) => {
  const asked = indexedDB.open("wedsql-offline");
  asked.onupgradeneeded = () => asked.transaction.abort();
  asked.onerror = () => resolve(null);
  asked.onsuccess = () => {
    const database = asked.result, found = { person: null };
    database.onversionchange = () => database.close();
    try {
      const work = database.transaction(["people", "outbox", "packages"]);
      const keep = (name) => ({ target: { result } }) => { found[name] = result; };
      work.objectStore("people").getAll().onsuccess = ({ target: { result } }) => {
        found.person = result.find((one) => one.key) ?? null;
        if (!found.person) return;
        const { user } = found.person, own = IDBKeyRange.bound([user], [user, []]);
        for (const name of ["outbox", "packages"]) work.objectStore(name).getAll(own).onsuccess = keep(name);
      };
      work.oncomplete = () => resolve(found.person && found);
      work.onabort = () => resolve(null);
    } catch {
      resolve(null);  // an older version of the database
    }
  };
});
