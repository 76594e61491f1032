import { badRequest } from "../../../base/errors.ts";
import { topicPath } from "../../../core/markdown/narrow-urls.ts";
import { quoted } from "../../../core/markdown/source/fenced.ts";
import { silentMention } from "../../../core/markdown/source/references.ts";
import type { Caller } from "../../../services/identity/caller.ts";
import { findCachedProfiles } from "../../../services/identity/profiles.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { type Channel, findChannel } from "../../../store/channels/channels.ts";
import type { Message } from "../../../store/messages/messages.ts";
import { sendMessage } from "./actions.ts";
import { composeChannelNotice } from "./notices.ts";

export const reportTypes = ["spam", "harassment", "inappropriate", "norms", "other"] as const;
type ReportType = (typeof reportTypes)[number];

const reasons: Record<ReportType, string> = {
  spam: "Spam",
  harassment: "Harassment",
  inappropriate: "Inappropriate content",
  norms: "Violates community norms",
  other: "Other reason",
};

export interface Report {
  type: ReportType;
  description: string;
}

/** Checks a report; the reason "other" needs an explanation. */
export function checkReport(type: ReportType, description = ""): Report {
  const text = description.trim().toWellFormed();
  if (type === "other" && text === "") throw badRequest("An explanation is required.");
  return { type, description: text };
}

/** How many characters of the reported message the report quotes. */
const maxQuotedCharacters = 4000;

/** Posts a report to the organization's moderation channel; throws a 400 if there is none. */
export async function reportMessage(
  caller: Caller,
  message: Message,
  channel: Channel | undefined,
  { type, description }: Report,
  realm: Realm,
): Promise<void> {
  const channelId = realm.settings.moderation_request_channel_id;
  const reportChannel = channelId < 0 ? undefined : await findChannel(channelId);
  if (!reportChannel || reportChannel.isArchived)
    throw badRequest("Moderation request channel must be specified to enable message reporting.");
  const people = await findCachedProfiles([caller.id, message.senderId], realm.usersVersion);
  const named = (id: number) => silentMention({ id, fullName: people.get(id)?.fullName ?? "" });
  const messageReference =
    channel && message.topic !== undefined
      ? `[a message](${topicPath(channel.id, channel.name, message.topic)}/near/${message.id})`
      : "a direct message";
  const text = [
    `${named(caller.id)} reported ${messageReference} sent by ${named(message.senderId)}.`,
    `- Reason: **${reasons[type]}**`,
    ...(description === "" ? [] : ["- Notes:", quoted(description)]),
    quoted(message.content.slice(0, maxQuotedCharacters)),
  ].join("\n");
  const senderName = people.get(message.senderId)?.fullName ?? String(message.senderId);
  const topic = reportChannel.topicsPolicy === "empty_topic_only" ? "" : reportTopic(senderName);
  await sendMessage(await composeChannelNotice(realm, reportChannel, topic, text));
}

/** Longer names are cut, so that the topic does not exceed the maximum length. */
const maxNameCharacters = 35;

/** All reports of a user's messages have the same topic. */
const reportTopic = (name: string) => `${[...name].slice(0, maxNameCharacters).join("")}'s moderation requests`;
