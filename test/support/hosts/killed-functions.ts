import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { recordOf } from "../../../infra/local/log-source.ts";
import { readHead } from "../../../shared/store/log/log.ts";
import { readEntries } from "../../../shared/store/log/stored-entry.ts";
import type { RandomKiller, Victim } from "./killed.ts";
import { bareEnvironment } from "./processes.ts";

/** Functions in processes that tests kill (killable-functions.ts), and the services that call them. */

export async function startFunctions(environment: Record<string, string>): Promise<Victim> {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "test/support/hosts/killable-functions.ts"],
    {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...bareEnvironment, ...environment },
    },
  );
  const url = await new Promise<string>((resolve, reject) => {
    child.once("message", (message: { url: string }) => resolve(message.url));
    child.once("exit", (code) => reject(new Error(`The functions ended with code ${code}`)));
  });
  // Each call listens.
  child.setMaxListeners(0);
  return { child, url };
}

let calls = 0;

/** Calls a function in a process; undefined if the process died before it returned. */
export const callFunction = (child: ChildProcess | undefined, name: string, event: object) =>
  new Promise<{ result?: unknown } | undefined>((resolve) => {
    if (!child?.connected) return resolve(undefined);
    const number = ++calls;
    const finish = (answer?: { result?: unknown }) => {
      child.off("message", onMessage);
      child.off("exit", onExit);
      resolve(answer);
    };
    const onMessage = (message: { number?: number; result?: unknown }) => message.number === number && finish(message);
    const onExit = () => finish();
    child.on("message", onMessage);
    child.once("exit", onExit);
    child.send({ number, name, event }, (error) => error && finish());
  });

/** Simulates the table's stream: each batch goes to one function at a time, with up to two retries when it dies. */
export async function emulateStream(killer: RandomKiller<Victim>, isOver: () => boolean): Promise<void> {
  let lastSequence = (await readHead()).event;
  const notifiedSequences = new Set<number>();
  while (!isOver()) {
    const { event: head } = await readHead();
    const entries = (await readEntries(lastSequence, head, { consistent: true })).filter(
      ({ sequence }) => !notifiedSequences.has(sequence),
    );
    for (const { sequence } of entries) notifiedSequences.add(sequence);
    // Advances to the first sequence number without an entry, from which the next round reads again.
    while (notifiedSequences.delete(lastSequence + 1)) lastSequence++;
    const event = { Records: entries.map(recordOf) };
    for (let attempt = 0; attempt < 3 && entries.length > 0; attempt++) {
      if (await callFunction(killer.pick()?.child, "notify-waiters", event)) break;
    }
    await pause(10);
  }
}
