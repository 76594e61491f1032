import { expect } from "vitest";
import { handler } from "../../functions/events/register-queue.ts";
import { observeAwsCalls } from "../../shared/aws/observe.ts";
import { listEventQueues } from "../../shared/store/delivery/event-queues.ts";
import { callInProcess } from "../support/hosts/in-process.ts";
import { openOrganization } from "../support/organization-session.ts";
import { aPerson, localTest } from "../support/world.ts";

let beforeLooking: (() => Promise<unknown>) | undefined;
let listings = 0;
let failListings = false;
observeAwsCalls(async ({ input }, proceed) => {
  if (input.ExpressionAttributeValues && JSON.stringify(input.ExpressionAttributeValues).includes('"USERS"'))
    if (failListings) throw new Error("The table is busy");
    else listings++;
  const work = beforeLooking;
  if (!work || !JSON.stringify(input.RequestItems ?? {}).includes('"HEAD"')) return proceed();
  beforeLooking = undefined;
  await work();
  return proceed();
});

const inProcessTest = localTest("the test's own process runs the function");

inProcessTest("a change just before a queue begins is in its snapshot and not among its events", async () => {
  const [iris, stage] = [await aPerson("Iris"), await openOrganization()];
  const description = "The isle is full of noises";
  try {
    beforeLooking = () => stage.as("owner@globe.test", "PATCH", "/realm", { description });

    const { body } = await callInProcess(handler, iris, { form: { event_types: ["realm"] } });

    expect(beforeLooking).toBeUndefined();
    expect(body.realm_description).toBe(description);
    const { queue_id, last_event_id } = body;
    const received = await iris.call("GET", "/events", { queue_id, last_event_id, dont_block: true });
    expect(received.body.events).toEqual([]);
  } finally {
    await stage.restoreSettings();
  }
});

inProcessTest("all users are read once for all parts of the snapshot that list users", async () => {
  const ceres = await aPerson("Ceres");
  const registerFor = async (event_types: string[]) => {
    listings = 0;
    return { ...(await callInProcess(handler, ceres, { form: { event_types } })), listings };
  };
  const alone = await registerFor(["realm_user"]);

  const { body, listings: together } = await registerFor(["realm_user", "presence", "realm_user_groups"]);

  const everybody = body.realm_user_groups.find(({ name }: any) => name === "role:members");
  expect(everybody.members).toContain(ceres.id);
  expect(body.realm_users.map(({ user_id }: any) => user_id)).toContain(ceres.id);
  expect(body).toHaveProperty("presences");
  expect(together).toBeLessThanOrEqual(alone.listings);
});

inProcessTest("a registration that fails leaves no queue", async () => {
  const juno = await aPerson("Juno");
  failListings = true;

  const { status } = await callInProcess(handler, juno, { form: { event_types: ["realm_user"] } }).finally(() => {
    failListings = false;
  });

  expect(status).toBe(500);
  expect(await listEventQueues(juno.id)).toEqual([]);
});
