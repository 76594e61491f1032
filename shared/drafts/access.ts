import { isContentReadable } from "../channels/content-permissions.ts";
import { badRequest, notFound } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import { findNamedUsers } from "../identity/named.ts";
import { limits } from "../limits.ts";
import { checkCharacters, checkContent, truncate } from "../schema/text.ts";
import { effectiveUserSettings } from "../schema/user-settings.ts";
import { findChannel } from "../store/channels/channels.ts";
import { findSubscription } from "../store/channels/subscriptions.ts";
import { type Draft, findDraft } from "../store/users/drafts.ts";
import { findUserSettings } from "../store/users/user-settings.ts";
import type { SentDraft } from "./wire.ts";

/** Refuses users who have disabled the synchronization of drafts. */
export async function checkDraftsEnabled(caller: Caller): Promise<void> {
  const settings = effectiveUserSettings((await findUserSettings(caller.id)) ?? {});
  if (!settings.enable_drafts_synchronization) throw badRequest("User has disabled synchronizing drafts.");
}

/** Returns a draft of the caller. Unknown drafts and those of other users give the same 404. */
export async function accessDraft(caller: Caller, id: number): Promise<Draft> {
  const draft = await findDraft(caller.id, id);
  if (!draft) throw noSuchDraft();
  return draft;
}

export const noSuchDraft = () => notFound("Draft does not exist");

/** Checks a draft and returns its stored form. Its recipients must exist; its content is truncated like that of a message. */
export async function checkDraft(caller: Caller, sent: SentDraft): Promise<Omit<Draft, "id" | "userId">> {
  const { type, to } = sent;
  const content = checkContent(sent.content);
  const timestamp = Math.floor(sent.timestamp ?? Date.now() / 1000);
  if (timestamp < 0) throw badRequest("Timestamp must not be negative.");
  if (type === "private") await checkRecipients(caller, to);
  if (type === "stream") await checkChannel(caller, to);
  return {
    type,
    to: type === "" ? [] : to,
    topic: type === "stream" ? checkTopicText(sent.topic) : "",
    content,
    timestamp,
  };
}

function checkTopicText(text: string): string {
  const topic = text.trim();
  checkCharacters(topic, "topic");
  return truncate(topic, limits.topicLength, "...");
}

async function checkChannel(caller: Caller, to: readonly number[]) {
  const [id] = to;
  if (id === undefined || to.length > 1) throw badRequest("Must specify exactly 1 channel ID for channel messages");
  const [channel, subscription] = await Promise.all([findChannel(id), findSubscription(caller.id, id)]);
  if (!channel || !(await isContentReadable(caller, channel, subscription))) throw badRequest("Invalid channel ID");
}

async function checkRecipients(caller: Caller, to: readonly number[]) {
  const users = await findNamedUsers(caller, to);
  const missing = to.find((_, index) => !users[index]);
  if (missing !== undefined) throw badRequest(`Invalid user ID ${missing}`);
}
