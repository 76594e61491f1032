import { randomUUID } from "node:crypto";
import type { Values } from "../http/params.ts";
import { type OutboxJob, outboxJob } from "../jobs/outbox.ts";
import { planMessage, type Settled, withConversation } from "../messages/actions.ts";
import { noticeTo } from "../messages/notices.ts";
import { accessRealm, type Realm } from "../organization/access.ts";
import { limits } from "../settings.ts";
import { type Channel, findChannels } from "../store/channels.ts";
import { commit, readHead } from "../store/log.ts";
import { findSubscriptionsTo } from "../store/subscriptions.ts";
import { noteTold, wasTold } from "../store/told.ts";
import { ConditionFailed, transact } from "../store/transactions.ts";
import { findUsers, type User } from "../store/users.ts";
import { type Caller, isBot } from "../users/caller.ts";
import { tellSubscribedJob } from "./jobs.ts";
import { subscribedText } from "./notices.ts";

/** Direct messages to people whom someone else has subscribed to channels that were there before (4.2). */

/**
 * Writes down, before anybody is subscribed, that these people are to be told: whatever the request comes to, those who
 * are subscribed by then are told of it. Undefined where there is nobody to tell.
 */
export async function beginTelling(
  caller: Pick<Caller, "id">,
  people: readonly User[],
  channels: readonly Channel[],
): Promise<OutboxJob | undefined> {
  const others = people.filter((person) => person.id !== caller.id && !isBot(person));
  if (others.length === 0 || channels.length === 0) return undefined;
  const job = outboxJob(tellSubscribedJob, {
    id: randomUUID(),
    by: caller.id,
    user_ids: others.map(({ id }) => id),
    channel_ids: channels.map(({ id }) => id),
    after: (await readHead()).message,
  });
  await transact([job.write]);
  return job;
}

/** Tells everybody whose subscription has begun since, each once, however often the job is done; too many are not told. */
export async function tellSubscribed(job: Values<typeof tellSubscribedJob.body>): Promise<void> {
  const [realm, channels, [by]] = await Promise.all([
    accessRealm(),
    findChannels(job.channel_ids),
    findUsers([job.by]),
  ]);
  const begun = new Map<number, Channel[]>();
  for (const channel of channels) {
    if (!channel) continue;
    for (const subscription of await findSubscriptionsTo(channel.id, job.user_ids)) {
      const [from = 0] = subscription?.periods.at(-1) ?? [];
      if (!subscription?.active || from <= job.after) continue;
      begun.set(subscription.userId, [...(begun.get(subscription.userId) ?? []), channel]);
    }
  }
  if (!by || begun.size > limits.bulkNewSubscriptionMessages) return;
  const people = [...begun];
  for (let start = 0; start < people.length; start += 10)
    await Promise.all(
      people.slice(start, start + 10).map(([userId, theirs]) => tell(job.id, userId, by, theirs, realm)),
    );
}

async function tell(
  jobId: string,
  userId: number,
  by: User,
  channels: readonly Channel[],
  realm: Realm,
): Promise<void> {
  if (await wasTold(jobId, userId)) return;
  const notice = await noticeTo(realm, userId, subscribedText(by, channels), { known: channels });
  try {
    await withConversation(notice, (settled) => writeNotice(jobId, userId, settled));
  } catch (error) {
    if (!(error instanceof ConditionFailed && (await wasTold(jobId, userId)))) throw error;
  }
}

const writeNotice = (jobId: string, userId: number, settled: Settled): Promise<void> =>
  commit({ events: 1, messages: 1 }, (numbers) => {
    const { writes, event } = planMessage(settled, numbers);
    return { writes: [noteTold(jobId, userId), ...writes], events: [event], result: undefined };
  });
