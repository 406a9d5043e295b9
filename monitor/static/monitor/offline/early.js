// Opens the database of the client while its modules are being loaded. One that is missing is left to them.
{
  const asked = indexedDB.open("wedsql-offline");
  asked.onupgradeneeded = () => asked.transaction.abort();
  asked.onsuccess = () => { asked.result.onversionchange = () => asked.result.close(); };
}
