import { fileURLToPath } from "node:url";

/** What the operator of the fleet under test has set for requests that leave it: receivers of the tests' own may be reached. */
export const outgoingSettings = { SKEIN_OUTGOING_ALLOW: "127.0.0.1" };

/** The module that the Node of the fleet under test loads first, so that cases have names of their own. */
export const askNames = fileURLToPath(new URL("ask-names.ts", import.meta.url));
