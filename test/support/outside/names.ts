import { aReceiver } from "./receiver.ts";

/** A name of a case's own. */
export interface ChangingName {
  name: string;
  /** How often the fleet has looked it up. */
  looks(): number;
}

/**
 * A name that has other addresses at every look, as one whose owner tries to be let in where they should not be: those of
 * `answers` in turn, the last ones from then on. The fleet under test asks for them; see ask-names.ts.
 */
export async function aChangingName(...answers: readonly (readonly string[])[]): Promise<ChangingName> {
  const server = await aReceiver((_, response, count) =>
    response.end(JSON.stringify(answers[Math.min(count, answers.length) - 1])),
  );
  return { name: `twin.${new URL(server.url).port}.names.test`, looks: () => server.requests.length };
}
