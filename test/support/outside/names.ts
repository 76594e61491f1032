import { aReceiver } from "./receiver.ts";

/** A DNS name that a test controls. */
export interface ChangingName {
  name: string;
  /** The number of lookups by the fleet. */
  lookupCount(): number;
}

/**
 * A name that resolves to other addresses at every lookup, as in a DNS rebinding attack: to each of `answers` in turn, then
 * always to the last. The fleet under test resolves it through stub-dns.ts.
 */
export async function aChangingName(...answers: readonly (readonly string[])[]): Promise<ChangingName> {
  const server = await aReceiver((_, response, count) =>
    response.end(JSON.stringify(answers[Math.min(count, answers.length) - 1])),
  );
  return { name: `twin.${new URL(server.url).port}.names.test`, lookupCount: () => server.requests.length };
}
