import type { Realm } from "../organization/access.ts";
import { findFormerTexts } from "../store/edits.ts";
import { findMessages, type Message } from "../store/messages.ts";
import { listSubmessages } from "../store/submessages.ts";
import type { Caller } from "../users/caller.ts";
import { profilesOf } from "../users/profiles.ts";
import { flagsOf, readPersonalState } from "./flags.ts";
import { Reader } from "./reader.ts";
import type { Entry } from "./sources.ts";
import { type MessageObject, type MessageView, wireMessage } from "./wire.ts";
import type { BesideMessages } from "./wire-parts.ts";

export type Presentation = Pick<MessageView, "applyMarkdown" | "clientGravatar" | "allowEmptyTopicName">;

/** The messages behind some entries as the caller sees them, with the caller's flags. */
export async function showMessages(
  caller: Caller | undefined,
  entries: readonly Entry[],
  realm: Realm,
  presentation: Presentation,
  reader = new Reader(caller, realm),
): Promise<MessageObject[]> {
  const messages = await withMessages(entries);
  const channelIds = [...new Set(messages.flatMap(({ channelId }) => channelId ?? []))];
  const [users, beside, state] = await Promise.all([
    profilesOf(
      messages.flatMap(({ senderId, userIds = [] }) => [senderId, ...userIds]),
      realm.usersVersion,
    ),
    readBeside(messages),
    readPersonalState(reader, messages),
  ]);
  const view: MessageView = {
    ...presentation,
    realm,
    users,
    beside,
    channels: new Map(
      channelIds.flatMap((id) => {
        const channel = reader.channel(id);
        return channel ? [[id, channel]] : [];
      }),
    ),
  };
  return messages.map((message) => ({ ...wireMessage(message, view), flags: flagsOf(reader, message, state) }));
}

/** What is kept beside some messages: nothing is read for those that were never edited and have no widget. */
export async function readBeside(messages: readonly Message[]): Promise<BesideMessages> {
  const [formerTexts, submessages] = await Promise.all([findFormerTexts(messages), listSubmessages(messages)]);
  return { formerTexts, submessages };
}

/** Entries from an index of IDs are looked up together; one that has gone since is left out. */
export async function withMessages(entries: readonly Entry[]): Promise<Message[]> {
  const missing = entries.filter(({ message }) => !message).map(({ id }) => id);
  const found = new Map((await findMessages(missing)).flatMap((message) => (message ? [[message.id, message]] : [])));
  return entries.flatMap(({ id, message }) => message ?? found.get(id) ?? []);
}
