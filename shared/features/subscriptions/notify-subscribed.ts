import { randomUUID } from "node:crypto";
import { mapInBatches } from "../../base/batches.ts";
import { limits } from "../../base/limits.ts";
import type { Values } from "../../base/schema/params.ts";
import { composeDirectNotice } from "../../messaging/messages/send/notices.ts";
import { sendOnce } from "../../messaging/messages/send/send-once.ts";
import { type Caller, isBot } from "../../services/identity/caller.ts";
import { withJobAfter } from "../../services/jobs/outbox.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import { type Channel, findChannels } from "../../store/channels/channels.ts";
import { findSubscriptionsTo } from "../../store/channels/subscriptions.ts";
import { readHead } from "../../store/log/log.ts";
import { findUsers, type User } from "../../store/users/users.ts";
import { notifySubscribedJob } from "../channels/jobs.ts";
import { subscribedText } from "../channels/notices.ts";

/** Direct messages to users whom somebody else subscribed to existing channels. See https://zulip.com/api/subscribe. */

/**
 * Subscribes people by `subscribe`, and then notifies them, unless `isNeeded` is false of the result. They are notified even if the
 * request dies half-way.
 */
export async function subscribeAndNotify<T>(
  caller: Pick<Caller, "id">,
  people: readonly User[],
  channels: readonly Channel[],
  subscribe: () => Promise<T>,
  isNeeded: (result: T) => boolean,
): Promise<T> {
  const usersToNotify = people.filter((person) => person.id !== caller.id && !isBot(person));
  if (usersToNotify.length === 0 || channels.length === 0) return subscribe();
  const job = {
    id: randomUUID(),
    by: caller.id,
    user_ids: usersToNotify.map(({ id }) => id),
    channel_ids: channels.map(({ id }) => id),
    after: (await readHead()).message,
  };
  return withJobAfter(notifySubscribedJob, job, subscribe, isNeeded);
}

/**
 * Notifies users whose subscription started after message ID `job.after`, each exactly once even if the job is repeated.
 * Notifies nobody if there are too many.
 */
export async function notifySubscribed(job: Values<typeof notifySubscribedJob.body>): Promise<void> {
  const [realm, channels, [actor]] = await Promise.all([
    loadRealm(),
    findChannels(job.channel_ids),
    findUsers([job.by]),
  ]);
  const newChannels = new Map<number, Channel[]>();
  for (const channel of channels) {
    if (!channel) continue;
    for (const subscription of await findSubscriptionsTo(channel.id, job.user_ids)) {
      const [from = 0] = subscription?.periods.at(-1) ?? [];
      if (!subscription?.active || from <= job.after) continue;
      newChannels.set(subscription.userId, [...(newChannels.get(subscription.userId) ?? []), channel]);
    }
  }
  if (!actor || newChannels.size > limits.bulkNewSubscriptionMessages) return;
  await mapInBatches([...newChannels], maxConcurrentNotices, ([userId, channels]) =>
    notifyUser(job.id, userId, actor, channels, realm),
  );
}

const maxConcurrentNotices = 10;

const notifyUser = (
  jobId: string,
  userId: number,
  actor: User,
  channels: readonly Channel[],
  realm: Realm,
): Promise<void> =>
  sendOnce(jobId, userId, () =>
    composeDirectNotice(realm, userId, subscribedText(actor, channels), { known: channels }),
  );
