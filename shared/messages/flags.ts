import { findFlags, type SparseFlag } from "../store/message-flags.ts";
import type { Brief, Message } from "../store/messages.ts";
import { findReadMarks, ReadMarks } from "../store/read-state.ts";
import { hasAlertWord, readAlertWords } from "./alerts.ts";
import { mentionedUsers, mentionsChannel } from "./facts.ts";
import type { Reader } from "./reader.ts";

/** Flags that clients may set. */
export const editableFlags = ["read", "starred", "collapsed"] as const;
export type EditableFlag = (typeof editableFlags)[number];

/** All flags, in the order in which they are shown (companion reference, B 4.6). */
export const knownFlags = [
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

/** What is personal about some messages, read at once. */
export interface PersonalState {
  marks: ReadMarks;
  alertWords: readonly string[];
  sparse: Map<number, Set<SparseFlag>>;
}

/** What was read for a request so far: a message that is tested and then shown is looked up once. */
const readSoFar = new WeakMap<Reader, PersonalState & { ids: Set<number> }>();
/** Flags that came with a list of flagged messages. */
const noted = new WeakMap<Reader, Map<number, Set<SparseFlag>>>();

/** Remembers all sparse flags of a message, so that they need not be read again. */
export function noteFlags(reader: Reader, messageId: number, flags: Set<SparseFlag>): void {
  const known = noted.get(reader) ?? new Map<number, Set<SparseFlag>>();
  noted.set(reader, known.set(messageId, flags));
}

/** What the reader has of their own on some messages: 0.5 read units for the marks of 32,768 IDs, 0.5 for flags. */
export async function readPersonalState(reader: Reader, messages: readonly Message[]): Promise<PersonalState> {
  const before = readSoFar.get(reader);
  const known = before ?? { marks: new ReadMarks(), sparse: new Map(), alertWords: [], ids: new Set<number>() };
  readSoFar.set(reader, known);
  const ids = reader.caller ? messages.map(({ id }) => id).filter((id) => !known.ids.has(id)) : [];
  const inList = noted.get(reader);
  const [marks, sparse, alertWords] = await Promise.all([
    findReadMarks(reader.caller?.id ?? 0, ids),
    findFlags(
      reader.caller?.id ?? 0,
      ids.filter((id) => !inList?.has(id)),
    ),
    before?.alertWords ?? readAlertWords(reader),
    reader.learn(messages.flatMap(({ channelId }) => channelId ?? [])),
    reader.learnGroups(messages),
  ]);
  known.alertWords = alertWords;
  known.marks.include(marks);
  for (const [id, flags] of [...(inList ?? []), ...sparse]) known.sparse.set(id, flags);
  for (const id of ids) known.ids.add(id);
  return known;
}

/** Whether a message counts as read: as it was marked; else when it was not received, or sent by an interactive client. */
export function isRead(reader: Reader, message: Brief, marks: ReadMarks): boolean {
  const marked = reader.caller ? marks.of(message.id) : true;
  if (marked !== undefined) return marked;
  if (reader.reach(message) !== "received") return true;
  return message.senderId === reader.caller?.id && message.readBySender === true;
}

/** The flags of a message within the reader's reach. */
export function flagsOf(reader: Reader, message: Message, { marks, sparse, alertWords }: PersonalState): Flag[] {
  const flags = new Set<Flag>(sparse.get(message.id));
  // Where a person is mentioned is listed when it happens; whether it still is so, the text says.
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
