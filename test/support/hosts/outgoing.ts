import { fileURLToPath } from "node:url";

/** Allows the fleet under test to send requests to the tests' receivers on this machine. */
export const outgoingSettings = { SKEIN_OUTGOING_ALLOW: "127.0.0.1" };

/** The module that stubs DNS in the process of the fleet under test. */
export const stubDnsModule = fileURLToPath(new URL("stub-dns.ts", import.meta.url));
