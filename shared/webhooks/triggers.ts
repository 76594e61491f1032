import type { OutgoingMessage } from "../messages/actions.ts";
import type { Destination } from "../messages/destination.ts";
import type { RenderedText } from "../messages/render.ts";
import type { Realm } from "../organization/access.ts";
import { type Caller, isBot } from "../users/caller.ts";
import { profilesOf } from "../users/profiles.ts";
import { deliverWebhook, type Trigger } from "./jobs.ts";

/** More bots than these are not called by one message: its transaction holds an entry for each. */
const mostBots = 10;

/**
 * The jobs that belong with a message: one for each outgoing-webhook bot that it calls, by mention in a channel or as a
 * participant of a conversation. Messages of bots call nobody, so that no two bots can keep each other talking. Costs
 * nothing unless somebody is mentioned in a channel (1 read unit for each whom this process does not know).
 */
export async function webhookJobs(
  author: Caller,
  destination: Destination,
  rendered: RenderedText,
  realm: Realm,
): Promise<Pick<OutgoingMessage, "following">> {
  if (isBot(author)) return {};
  const trigger: Trigger = destination.kind === "direct" ? "direct_message" : "mention";
  const bots = destination.kind === "direct" ? destination.webhookBotIds : await botsAmong(rendered, realm);
  if (!bots || bots.length === 0) return {};
  // Loaded only here: most messages need no queue.
  const { outboxJob } = await import("../jobs/outbox.ts");
  return {
    following: (messageId) =>
      bots
        .slice(0, mostBots)
        .map((botId) => outboxJob(deliverWebhook, { message_id: messageId, bot_id: botId, trigger })),
  };
}

async function botsAmong({ mentionedUserIds }: RenderedText, realm: Realm): Promise<number[]> {
  if (mentionedUserIds.length === 0) return [];
  const users = await profilesOf(mentionedUserIds, realm.usersVersion);
  return mentionedUserIds.filter((id) => users.get(id)?.botType === 3);
}
