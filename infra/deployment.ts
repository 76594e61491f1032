import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** Where `npm run deploy` leaves the stack's outputs; `SKEIN_DEPLOYMENT` names those of another deployment. */
const outputsFile = () =>
  process.env.SKEIN_DEPLOYMENT ?? resolve(import.meta.dirname, "..", ".cache", "deployment.json");

/** The environment that a deployed fleet's functions find, from the outputs of their stack: "QueueUrlPush" -> QUEUE_URL_PUSH. */
export function environmentOf(outputs: Record<string, string>): Record<string, string> {
  const variable = (output: string) => output.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [variable(name), value]));
}

/** The outputs of the fleet that was deployed from this checkout; an error says how to get them. */
export function deployedOutputs(): Record<string, string> {
  try {
    const [outputs] = Object.values(
      JSON.parse(readFileSync(outputsFile(), "utf8")) as Record<string, Record<string, string>>,
    );
    if (outputs) return outputs;
  } catch {
    // Told below, whatever was wrong with the file.
  }
  throw new Error("No deployment is known here: run `npm run deploy` first.");
}
