import { botTypes } from "../../../base/schema/roles.ts";
import { type Caller, isBot } from "../../../services/identity/caller.ts";
import { findCachedProfiles } from "../../../services/identity/profiles.ts";
import type { Realm } from "../../../services/organization/access.ts";
import type { FollowUp } from "../../../store/table/follow-ups.ts";
import type { RenderedText } from "../../messages/render/render.ts";
import { deliverWebhookJob, type Trigger } from "./jobs.ts";

/** The maximum number of bots that one message triggers: its transaction contains an outbox record for each. */
const maxBots = 10;

/** A message's destination. Of a direct message, also the outgoing webhook bots among the participants. */
interface WebhookDestination {
  kind: "channel" | "direct";
  webhookBotIds?: number[];
}

/**
 * The jobs of a message, given its ID: one for each outgoing webhook bot that is mentioned in a channel or participates in the
 * conversation. Bots' messages trigger nothing, to prevent loops between bots. Costs 1 read unit for each user mentioned in
 * a channel whom this process has not cached.
 */
export async function webhookJobs(
  author: Caller,
  destination: WebhookDestination,
  rendered: RenderedText,
  realm: Realm,
): Promise<((messageId: number) => FollowUp[]) | undefined> {
  if (isBot(author)) return undefined;
  const trigger: Trigger = destination.kind === "direct" ? "direct_message" : "mention";
  const bots = destination.kind === "direct" ? destination.webhookBotIds : await listMentionedBots(rendered, realm);
  if (!bots || bots.length === 0) return undefined;
  // Loaded only here: most messages need no queue.
  const { outboxJob } = await import("../../../services/jobs/outbox.ts");
  return (messageId) =>
    bots
      .slice(0, maxBots)
      .map((botId) => outboxJob(deliverWebhookJob, { message_id: messageId, bot_id: botId, trigger }));
}

async function listMentionedBots({ mentionedUserIds }: RenderedText, realm: Realm): Promise<number[]> {
  if (mentionedUserIds.length === 0) return [];
  const users = await findCachedProfiles(mentionedUserIds, realm.usersVersion);
  return mentionedUserIds.filter((id) => users.get(id)?.botType === botTypes.outgoingWebhook);
}
