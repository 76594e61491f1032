import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** Where `npm run deploy` leaves the stack's outputs; `SKEIN_DEPLOYMENT` names those of another deployment. */
export const outputsFile = () =>
  process.env.SKEIN_DEPLOYMENT ?? resolve(import.meta.dirname, "..", ".cache", "deployment.json");

/** The environment that a deployed fleet's functions find, from the outputs of their stack: "QueueUrlPush" -> QUEUE_URL_PUSH. */
export function environmentOf(outputs: Record<string, string>): Record<string, string> {
  const variable = (output: string) => output.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [variable(name), value]));
}

/** The outputs of the fleet that was deployed from this checkout, last or by its name; an error says how to get them. */
export function deployedOutputs(name?: string, file = outputsFile()): Record<string, string> {
  try {
    const all = JSON.parse(readFileSync(file, "utf8")) as Record<string, Record<string, string>>;
    const outputs = name === undefined ? Object.values(all)[0] : all[name];
    if (outputs) return outputs;
  } catch {
    // Told below, whatever was wrong with the file.
  }
  throw new Error("No deployment is known here: run `npm run deploy` first.");
}
