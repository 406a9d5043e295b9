// The entry point: parts of every page, then the page's own module. Without it pages work, but are not live.
import { ages } from "./ages.js";
import { keys } from "./keys.js";
import { steady } from "./steady.js";
import { unread } from "./unread.js";

ages();
steady();
keys();
unread();
const { module } = document.body.dataset;
if (module) import(module).then((page) => page.start());
