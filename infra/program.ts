import { completeEmulatorEnvironment } from "./emulator/endpoint.ts";

/** Runs an operator's command and exits with the status that it returns. If it throws, prints only the message; status 1. */
export async function runProgram(main: (args: string[]) => Promise<number>): Promise<void> {
  try {
    completeEmulatorEnvironment();
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
