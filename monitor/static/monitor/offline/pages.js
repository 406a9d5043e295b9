// The pages of the client but the list, and the exchange with the site, which the list does not wait for.
export { showAway } from "./away.js";
export { showFiles } from "./files_page.js";
export { closeForm, openForm } from "./form.js";
export { showOutbox } from "./outbox.js";
export { showResult } from "./result_page.js";
export { synchronize } from "./sync.js";
