import { actor } from "../shared/base/actor.ts";
import { completeEmulatorEnvironment } from "./ministack/emulator-url.ts";

/** A command that does nothing because of what it found; `message` has one line for each reason. */
export class RefusedError extends Error {
  override name = "RefusedError";

  constructor(reasons: readonly string[]) {
    super(`Refused; nothing was changed.\n${reasons.map((reason) => `  ${reason}`).join("\n")}`);
  }
}

/** Runs an operator's command and exits with the status that it returns. If it throws, prints only the message; status 1. */
export async function runProgram(main: (args: string[]) => Promise<number>): Promise<void> {
  try {
    completeEmulatorEnvironment();
    process.exitCode = await actor.run({ kind: "operator" }, () => main(process.argv.slice(2)));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
