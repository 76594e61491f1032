import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** The file to which `npm run deploy` writes the stack's outputs; `SKEIN_DEPLOYMENT` names another deployment's file. */
export const outputsFile = () =>
  process.env.SKEIN_DEPLOYMENT ?? resolve(import.meta.dirname, "..", ".cache", "deployment.json");

/**
 * The environment variables of the deployed functions, from the stack's outputs: "QueueUrlPush" -> QUEUE_URL_PUSH, and "Url" ->
 * SKEIN_URL.
 */
export function environmentOf(outputs: Record<string, string>): Record<string, string> {
  const variable = (output: string) =>
    output === "Url" ? "SKEIN_URL" : output.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [variable(name), value]));
}

/** The outputs of the last deployment from this checkout, or of the fleet `name`; the error says how to get them. */
export function deployedOutputs(name?: string, file = outputsFile()): Record<string, string> {
  try {
    const outputsByStack = JSON.parse(readFileSync(file, "utf8")) as Record<string, Record<string, string>>;
    const outputs = name === undefined ? Object.values(outputsByStack)[0] : outputsByStack[name];
    if (outputs) return outputs;
  } catch {
    // Whatever is wrong with the file, the error below says what to do.
  }
  throw new Error("This checkout has no deployment: run `npm run deploy` first.");
}
