// The pages of an account, which have no header: what was typed before the log-in stays in this tab.
import { typed } from "./typed.js";

typed();
