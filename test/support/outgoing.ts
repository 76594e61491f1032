/** What the operator of the fleet under test has set for requests that leave it: receivers of the tests' own may be reached. */
export const outgoingSettings = { SKEIN_OUTGOING_ALLOW: "127.0.0.1" };
