import { expect } from "vitest";
import { handler } from "../../functions/events/register-queue.ts";
import { observeTableCalls } from "../../shared/base/table-port/observe.ts";
import { listEventQueues } from "../../shared/store/delivery/event-queues.ts";
import { callInProcess } from "../support/hosts/in-process.ts";
import { openOrganization } from "../support/organization-session.ts";
import { aPerson, localTest } from "../support/world.ts";

/** Runs once, before the next read of the log's head. */
let beforeHeadRead: (() => Promise<unknown>) | undefined;
let userListReads = 0;
let failUserListReads = false;
observeTableCalls(async ({ name, request }, proceed) => {
  // In an organization that other files have made large, the list is read from the copy of all profiles.
  if (failUserListReads && /"(USERS|PEOPLE)"/.test(JSON.stringify(request))) throw new Error("The table is busy");
  if (name === "query" && request.pk === "USERS") userListReads++;
  const callback = beforeHeadRead;
  if (!callback || name !== "batchGet" || !request.keys.some(({ sk }) => sk === "HEAD")) return proceed();
  beforeHeadRead = undefined;
  await callback();
  return proceed();
});

const inProcessTest = localTest("the test's own process runs the function");

inProcessTest("a change just before a queue begins is in its snapshot and not among its events", async () => {
  const [iris, organization] = [await aPerson("Iris"), await openOrganization()];
  const description = "The isle is full of noises";
  try {
    beforeHeadRead = () => organization.as("owner@globe.test", "PATCH", "/realm", { description });

    const { body } = await callInProcess(handler, iris, { form: { event_types: ["realm"] } });

    expect(beforeHeadRead).toBeUndefined();
    expect(body.realm_description).toBe(description);
    const { queue_id, last_event_id } = body;
    const received = await iris.call("GET", "/events", { queue_id, last_event_id, dont_block: true });
    expect(received.body.events).toEqual([]);
  } finally {
    await organization.restoreSettings();
  }
});

inProcessTest("all users are read once for all parts of the snapshot that list users", async () => {
  const ceres = await aPerson("Ceres");
  const registerFor = async (event_types: string[]) => {
    userListReads = 0;
    return { ...(await callInProcess(handler, ceres, { form: { event_types } })), userListReads };
  };
  const single = await registerFor(["realm_user"]);

  const { body, userListReads: combinedReads } = await registerFor(["realm_user", "presence", "realm_user_groups"]);

  const membersGroup = body.realm_user_groups.find(({ name }: any) => name === "role:members");
  expect(membersGroup.members).toContain(ceres.id);
  expect(body.realm_users.map(({ user_id }: any) => user_id)).toContain(ceres.id);
  expect(body).toHaveProperty("presences");
  expect(combinedReads).toBeLessThanOrEqual(single.userListReads);
});

inProcessTest("a registration that fails leaves no queue", async () => {
  const juno = await aPerson("Juno");
  failUserListReads = true;

  const { status } = await callInProcess(handler, juno, { form: { event_types: ["realm_user"] } }).finally(() => {
    failUserListReads = false;
  });

  expect(status).toBe(500);
  expect(await listEventQueues(juno.id)).toEqual([]);
});
