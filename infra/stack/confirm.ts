import { createInterface } from "node:readline/promises";
import { RefusedError } from "../program.ts";

/**
 * Shows what is about to be deleted and throws RefusedError unless a person types "yes". Where there is nobody to ask, because the
 * input is no terminal, only the argument `--yes` confirms.
 */
export async function confirmDeletion(text: string, isConfirmed: boolean): Promise<void> {
  console.log(text);
  if (isConfirmed) return;
  if (!process.stdin.isTTY) throw new RefusedError(["there is no terminal on which to ask: confirm with --yes"]);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question('Type "yes" to go on: ');
    if (answer.trim().toLowerCase() !== "yes") throw new RefusedError(["this was not confirmed"]);
  } finally {
    terminal.close();
  }
}
