import { expect, test } from "vitest";
import { defaultCreationParams } from "../../shared/features/channels/check-creation.ts";
import { notifySubscribedJob } from "../../shared/features/channels/jobs.ts";
import { addSubscriptions } from "../../shared/features/subscriptions/add.ts";
import { notifySubscribed } from "../../shared/features/subscriptions/notify-subscribed.ts";
import { toCaller } from "../../shared/services/identity/access.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { listOutbox, outboxShards } from "../../shared/store/delivery/outbox.ts";
import { findAccount } from "../../shared/store/users/accounts.ts";
import { findUsers } from "../../shared/store/users/users.ts";
import { withFailure } from "../support/faults.ts";
import { noticesTo } from "../support/messages.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** The jobs about a user that a request left in the outbox. */
async function outboxJobsAbout({ id }: Person): Promise<Parameters<typeof notifySubscribed>[0][]> {
  const shards = Array.from({ length: outboxShards }, (_, shard) => listOutbox(shard, Date.now() + 1000, 1000));
  return (await Promise.all(shards))
    .flat()
    .map(({ body }) => JSON.parse(body))
    .filter(({ kind, job }) => kind === notifySubscribedJob.name && job.user_ids.includes(id))
    .map(({ job }) => job);
}

test.each(["before", "afterwards"] as const)(
  "users are notified of their subscription once, whichever call the subscribing request dies at (fault: %s)",
  async (when) => {
    const [hamlet, realm] = [await aPerson("Hamlet"), await loadRealm()];
    const account = await findAccount(hamlet.email);
    if (!account) throw new Error("Hamlet has no account");
    for (let nth = 1; ; nth++) {
      const [ophelia, court] = [await aPerson("Ophelia"), await aChannel("court", [])];
      const people = (await findUsers([ophelia.id])).filter((user) => user !== undefined);
      const requestedChannels = [{ name: court.name, description: "" }];
      const params = { ...defaultCreationParams, notifyUsers: true };
      const subscribedBy = { id: hamlet.id, fullName: hamlet.name };

      const { reached } = await withFailure(nth, when, () =>
        addSubscriptions(toCaller(account), requestedChannels, people, params, realm, subscribedBy),
      );
      const jobs = await outboxJobsAbout(ophelia);
      for (const job of jobs) await Promise.all([notifySubscribed(job), notifySubscribed(job)]);
      for (const job of jobs) await notifySubscribed(job);

      const { subscribers } = (await hamlet.call("GET", `/streams/${court.id}/members`)).body;
      const expectedNotices = [`@_**Hamlet|${hamlet.id}** subscribed you to the channel #**${court.name}**.`];
      // If the outbox no longer has the job, the job is in the queue, and the fleet's own worker runs it.
      if (subscribers.includes(ophelia.id)) expect(await noticesTo(ophelia, 1)).toEqual(expectedNotices);
      else expect(await noticesTo(ophelia, 0)).toEqual([]);
      if (!reached) break;
      expect(nth).toBeLessThan(40);
    }
  },
  120_000,
);
