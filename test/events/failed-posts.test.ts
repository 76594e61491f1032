import { expect, test } from "vitest";
import { handler as notifyWaiters } from "../../functions/events/notify-waiters.ts";
import { recordOf, startLogSource } from "../../infra/local/log-source.ts";
import { observeAwsCalls } from "../../shared/aws/observe.ts";
import { entriesBetween } from "../../shared/events/position.ts";
import { notifyListeners } from "../../shared/store/log/entry-cache.ts";
import { readHead } from "../../shared/store/log/log.ts";
import { connectQueue } from "../support/connection.ts";
import { sendDirect } from "../support/messages.ts";
import { aPerson, localTest } from "../support/world.ts";

/** What follows when the function that notifies clients can neither post to a connection nor have another function do it. */

const inProcessTest = localTest("the test's own process runs the function");
/** The services that fail in this process, which posts in addition to the host. */
let failing: RegExp | undefined;
observeAwsCalls(async ({ client }, proceed) => {
  if (failing?.test(client)) throw new Error(`${client} is not available`);
  return proceed();
});

/** A function's run for a message that a connected client is to get. */
async function runForMessage() {
  const [sender, receiver] = await Promise.all([aPerson("Feste"), aPerson("Malvolio")]);
  const params = { event_types: ["message"], fetch_event_types: [] };
  const connection = await connectQueue(receiver, await receiver.do("POST", "/register", params));
  const before = (await readHead()).event;
  await sendDirect(sender, [receiver], "Some are born great");
  const Records = (await entriesBetween(before, (await readHead()).event)).map(recordOf);
  return { run: () => notifyWaiters({ Records } as never), connection };
}

inProcessTest("the function fails, so that Lambda calls it again", async () => {
  const { run, connection } = await runForMessage();
  try {
    failing = /ApiGatewayManagement|SQS/;
    await expect(run()).rejects.toThrow("log-entries failed");

    failing = /ApiGatewayManagement/;
    await run();
  } finally {
    failing = undefined;
    connection.close();
  }
});

test("on one machine, entries whose batch failed are passed again, and those that follow after them", async () => {
  const batches: string[][] = [];
  const source = startLogSource(async ({ Records }) => {
    batches.push(Records.map(({ eventID = "" }) => eventID));
    if (batches.length === 1) throw new Error("The first batch fails");
  });
  const entry = (sequence: number) => ({ sequence, event: { type: "typing" }, audience: { kind: "all" } }) as never;
  try {
    notifyListeners([entry(1)]);
    await expect.poll(() => batches.length).toBe(1);
    notifyListeners([entry(2)]);

    await expect.poll(() => batches, { timeout: 10_000 }).toEqual([["1"], ["1"], ["2"]]);
  } finally {
    await source.stop();
  }
});
