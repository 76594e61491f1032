import { badRequest } from "../errors.ts";
import { hasAnyPermission } from "../groups/any.ts";
import { removeTogether } from "../messages/deletion.ts";
import { isWithin } from "../messages/periods.ts";
import { topicName } from "../messages/topics.ts";
import type { Realm } from "../organization/access.ts";
import { type Message, readPartition, topicPartition } from "../store/messages.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { insufficient } from "./creation.ts";
import { mayReadHistory } from "./rules.ts";
import type { CountedStanding } from "./standing.ts";

/** Messages of one transaction. */
const batchSize = 50;
/** Milliseconds after which the rest is left for another call: far from the 29 s that a request may take. */
const longest = 15_000;
/** How often messages that somebody is just changing are looked at again. */
const mostMisses = 10;

/**
 * Deletes what the caller can read of a topic, newest first, 50 messages in a transaction with their event. False when
 * time ran out before the end: another call goes on where this one stopped.
 */
export async function deleteTopicFor(standing: CountedStanding, name: string, realm: Realm): Promise<boolean> {
  const { person: caller, channel } = standing;
  const groups = [realm.settings.can_delete_any_message_group, channel.permissions.can_delete_any_message_group];
  if (!(await hasAnyPermission(caller, groups, realm.settings))) throw insufficient();
  if (channel.isArchived) throw badRequest("Invalid channel ID");
  const partition = topicPartition(channel.id, topicName(name, realm.settings));
  const deadline = Date.now() + longest;
  let to = Number.MAX_SAFE_INTEGER;
  let misses = 0;
  while (Date.now() < deadline) {
    const found = await readPartition("gsi2", partition, { from: 0, to, descending: true, limit: batchSize });
    const last = found.at(-1);
    if (!last) return true;
    const mine = found.filter((message) => isVisible(standing, message));
    try {
      if (mine.length > 0) await removeTogether(mine, [caller.id]);
      to = last.id - 1;
      misses = 0;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      // Somebody is writing, editing or deleting here as well.
      if (++misses === mostMisses) return false;
    }
  }
  return false;
}

function isVisible({ person, channel, subscription, holds }: CountedStanding, message: Message): boolean {
  if (mayReadHistory(person, channel, subscription, holds)) return true;
  return isWithin(subscription?.periods ?? [], message);
}
