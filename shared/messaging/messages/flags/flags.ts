import { badRequest } from "../../../base/errors.ts";
import { findFlags, type SparseFlag } from "../../../store/messages/message-flags.ts";
import type { Message, MessageSummary } from "../../../store/messages/messages.ts";
import { findReadMarks, ReadMarks } from "../../../store/messages/read-state.ts";
import { prefetch } from "../../../store/table/shared-reads.ts";
import { mentionedUsers, mentionsChannel } from "../html-facts.ts";
import type { Reader } from "../reader.ts";
import { hasAlertWord, readAlertWords } from "./alert-words.ts";

export const editableFlags = ["read", "starred", "collapsed"] as const;
export type EditableFlag = (typeof editableFlags)[number];

/** All flags, in the order in which replies list them. See https://zulip.com/api/update-message-flags#available-flags. */
const knownFlags = [
  "read",
  "starred",
  "collapsed",
  "mentioned",
  "stream_wildcard_mentioned",
  "topic_wildcard_mentioned",
  "group_mentioned",
  "force_expand",
  "force_collapse",
  "has_alert_word",
  "historical",
  "wildcard_mentioned",
] as const;
export type Flag = (typeof knownFlags)[number];

/** A reader's own state of the given messages: read marks, alert words and flags stored per message. */
export interface PersonalState {
  marks: ReadMarks;
  alertWords: readonly string[];
  sparse: Map<number, Set<SparseFlag>>;
}

/** The state loaded so far in a request, so that a message that is filtered and then presented is looked up once. */
const cachedStates = new WeakMap<Reader, PersonalState & { ids: Set<number> }>();
/** Flags that were read with a list of flagged messages. */
const listedFlags = new WeakMap<Reader, Map<number, Set<SparseFlag>>>();

/** Caches all flags that are stored for a message, so that they are not read again. */
export function cacheFlags(reader: Reader, messageId: number, flags: Set<SparseFlag>): void {
  const known = listedFlags.get(reader) ?? new Map<number, Set<SparseFlag>>();
  listedFlags.set(reader, known.set(messageId, flags));
}

/**
 * Loads the reader's state of the given messages. Costs 0.5 read units per 32,768 IDs of marks, and the reads of `findFlags`.
 */
export async function readPersonalState(reader: Reader, messages: readonly Message[]): Promise<PersonalState> {
  const cached = cachedStates.get(reader);
  const state = cached ?? { marks: new ReadMarks(), sparse: new Map(), alertWords: [], ids: new Set<number>() };
  cachedStates.set(reader, state);
  const ids = reader.caller ? messages.map(({ id }) => id).filter((id) => !state.ids.has(id)) : [];
  const listed = listedFlags.get(reader);
  const [marks, sparse, alertWords] = await Promise.all([
    findReadMarks(reader.caller?.id ?? 0, ids),
    findFlags(
      reader.caller?.id ?? 0,
      ids.filter((id) => !listed?.has(id)),
    ),
    cached?.alertWords ?? readAlertWords(reader),
    reader.load(messages.flatMap(({ channelId }) => channelId ?? [])),
    reader.loadGroupGraph(messages),
  ]);
  state.alertWords = alertWords;
  state.marks.merge(marks);
  for (const [id, flags] of [...(listed ?? []), ...sparse]) state.sparse.set(id, flags);
  for (const id of ids) state.ids.add(id);
  return state;
}

/** Starts reading the reader's state of messages of which only the IDs need be known. */
export function prefetchPersonalState(reader: Reader, ids: readonly number[]): void {
  const { caller } = reader;
  if (!caller || ids.length === 0) return;
  prefetch(() => Promise.all([findReadMarks(caller.id, ids), findFlags(caller.id, ids), readAlertWords(reader)]));
}

/**
 * Whether a message counts as read: always where the reader cannot have unread messages. Elsewhere, if the reader has marked it
 * neither as read nor as unread, it does if the reader did not receive it, sent it from an interactive client, or had muted its
 * sender.
 */
export function isRead(reader: Reader, message: MessageSummary, marks: ReadMarks): boolean {
  const mark = reader.caller ? marks.of(message.id) : true;
  if (mark === true || (message.channelId !== undefined && !reader.tracksUnread(message.channelId))) return true;
  if (mark !== undefined) return mark;
  if (reader.reach(message) !== "received") return true;
  return isReadBySending(message, reader.caller?.id);
}

/** Whether a message that a user has marked neither as read nor as unread was read by them from the beginning. */
export const isReadBySending = (
  { senderId, readBySender, mutedBy }: Pick<MessageSummary, "senderId" | "readBySender" | "mutedBy">,
  userId: number | undefined,
): boolean =>
  userId !== undefined && ((senderId === userId && readBySender === true) || mutedBy?.includes(userId) === true);

export function flagsOf(reader: Reader, message: Message, { marks, sparse, alertWords }: PersonalState): Flag[] {
  const flags = new Set<Flag>(sparse.get(message.id));
  // The index of mentions may be outdated by an edit: the text decides.
  flags.delete("mentioned");
  if (isRead(reader, message, marks)) flags.add("read");
  if (!reader.caller) return ["read"];
  if (reader.reach(message) !== "received") {
    flags.add("historical");
    flags.delete("topic_wildcard_mentioned");
  } else {
    if (message.channelId !== undefined && mentionsChannel(message)) flags.add("stream_wildcard_mentioned");
    if (mentionedUsers(message).includes(reader.caller.id)) flags.add("mentioned");
    if (hasAlertWord(message, alertWords)) flags.add("has_alert_word");
    if (reader.isInMentionedGroup(message)) flags.add("mentioned").add("group_mentioned");
  }
  if (flags.has("stream_wildcard_mentioned") || flags.has("topic_wildcard_mentioned")) flags.add("wildcard_mentioned");
  return knownFlags.filter((flag) => flags.has(flag));
}

/**
 * Returns a flag that clients may change. Throws a 400 for an unknown flag, and another 400 for one that only the server sets.
 */
export function checkEditableFlag(flag: string): EditableFlag {
  const editable = editableFlags.find((candidate) => candidate === flag);
  if (editable) return editable;
  throw badRequest(
    knownFlags.some((known) => known === flag) ? `Flag not editable: '${flag}'` : `Invalid flag: '${flag}'`,
  );
}
