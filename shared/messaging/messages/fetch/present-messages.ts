import type { Need } from "../../../base/needs.ts";
import type { Caller } from "../../../services/identity/caller.ts";
import { findCachedProfiles } from "../../../services/identity/profiles.ts";
import { checkSpectator, type Realm } from "../../../services/organization/access.ts";
import { findPreviousContents, type PreviousLimits } from "../../../store/messages/edits.ts";
import type { Message } from "../../../store/messages/messages.ts";
import { listSubmessages } from "../../../store/messages/submessages.ts";
import { invalidMessage } from "../access.ts";
import { flagsOf, readPersonalState } from "../flags/flags.ts";
import { Reader } from "../reader.ts";
import { type MessageObject, type MessageView, toMessageWire } from "../wire.ts";
import type { MessageDetails } from "../wire-parts.ts";
import { loadMessages } from "./load-messages.ts";
import { filterMatching } from "./matching.ts";
import { shorten } from "./reply-window.ts";
import type { SourceEntry } from "./sources.ts";

/** The client's options for the messages of a reply. */
export type Presentation = Pick<MessageView, "applyMarkdown" | "clientGravatar" | "allowEmptyTopicName">;

/** Loads the given entries' messages, without deleted ones, and converts them to wire objects with the caller's flags. */
export async function presentMessages(
  caller: Caller | undefined,
  entries: readonly SourceEntry[],
  realm: Realm,
  presentation: Presentation,
  reader = new Reader(caller, realm),
): Promise<MessageObject[]> {
  const messages = await loadMessages(entries);
  const channelIds = [...new Set(messages.flatMap(({ channelId }) => channelId ?? []))];
  const [users, details, state] = await Promise.all([
    findCachedProfiles(
      messages.flatMap(({ senderId, userIds = [] }) => [senderId, ...userIds]),
      realm.usersVersion,
    ),
    readMessageDetails(messages),
    readPersonalState(reader, messages),
  ]);
  const view: MessageView = {
    ...presentation,
    realm,
    users,
    details,
    channels: new Map(
      channelIds.flatMap((id) => {
        const channel = reader.channel(id);
        return channel ? [[id, channel]] : [];
      }),
    ),
  };
  return messages.map((message) =>
    shorten({ ...toMessageWire(message, view), flags: flagsOf(reader, message, state) }),
  );
}

/** The message that a request names, as the caller sees it. */
export const presentedMessage: Need<
  { message: Message; object: MessageObject },
  {
    caller: Caller | undefined;
    params: { message_id: number; apply_markdown: boolean; client_gravatar: boolean; allow_empty_topic_name: boolean };
    realm: Promise<Realm>;
  }
> = {
  early: (sent) => {
    const id = sent("message_id");
    return id === undefined ? undefined : loadMessages([{ id }]);
  },
  load: async ({ caller, params, realm }) =>
    presentReadable(new Reader(caller, await realm), params.message_id, {
      applyMarkdown: params.apply_markdown,
      clientGravatar: params.client_gravatar,
      allowEmptyTopicName: params.allow_empty_topic_name,
    }),
};

/**
 * A message that a user or spectator may read, and its wire object. What the object needs is read together with what decides
 * about access. Absent, expired and unreadable messages give the same error.
 */
async function presentReadable(
  reader: Reader,
  id: number,
  presentation: Presentation,
): Promise<{ message: Message; object: MessageObject }> {
  if (!reader.caller) checkSpectator(reader.realm);
  const entries = (await loadMessages([{ id }])).map((message) => ({ id, message }));
  const [[message], [object]] = await Promise.all([
    filterMatching(reader, { terms: [], policies: new Map() }, entries, false),
    presentMessages(reader.caller, entries, reader.realm, presentation, reader),
  ]);
  if (!message || !object) throw invalidMessage();
  return { message, object };
}

/** Previous contents are a small part of a reply: of older edits, the edit history shows them. */
const limitsOfReply: PreviousLimits = { messageBytes: 100_000, totalBytes: 1_000_000 };

/** Reads messages' previous contents and submessages. Costs nothing for messages without edits and widgets. */
export async function readMessageDetails(
  messages: readonly Message[],
  previousLimits = limitsOfReply,
): Promise<MessageDetails> {
  const [previousContents, submessages] = await Promise.all([
    findPreviousContents(messages, previousLimits),
    listSubmessages(messages),
  ]);
  return { previousContents, submessages };
}
