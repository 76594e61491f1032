import { setImmediate as nextTurn } from "node:timers/promises";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { ProcessCache } from "../../base/process-cache.ts";
import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { batchWrite } from "../table/bulk.ts";
import { padded } from "../table/keys.ts";
import { getItem, getItems, queryIds, queryItems } from "../table/reads.ts";
import { deleteIf, updateIf, updateItem } from "../table/single-writes.ts";
import type { Condition, Key } from "../table/writes.ts";

/**
 * Who has missed which messages, and when each user's next e-mail is due. A note is written once for the messages that the log
 * consumer processes together in one conversation, whoever missed them. A user's due mail names the conversations in which notes
 * name the user.
 */

/** Exceeds the longest batching period plus the time in which an operator may redrive a job. */
const waitingRetentionSeconds = 30 * secondsPerDay;
/** For this long after a worker has decided what to mail, another one enqueues the mails if the first one died. */
const decidedRetentionSeconds = 2 * secondsPerDay;

const expiry = () => nowSeconds() + waitingRetentionSeconds;

/** Messages of one conversation that the same users missed. */
export interface Note {
  /** Identifies the conversation, at the time of the note. */
  conversation: string;
  /** Ascending. */
  messageIds: readonly number[];
  userIds: readonly number[];
}

interface StoredNote extends Key {
  messages: Uint8Array;
  users: Uint8Array;
  /** The last sequence number of the log consumer's step: the note is complete once the consumer's cursor has reached it. */
  upTo?: number;
  /** Only of a note of a second check: whether each of its users has a due mail. */
  isComplete?: boolean;
}

/** Ascending numbers, as deflated differences: about a byte for three of them. */
const packed = (numbers: readonly number[]): Uint8Array =>
  deflateRawSync(numbers.map((number, index) => number - (numbers[index - 1] ?? 0)).join());
function unpacked(bytes: Uint8Array): number[] {
  let sum = 0;
  return inflateRawSync(bytes)
    .toString()
    .split(",")
    .map((difference) => {
      sum += Number(difference);
      return sum;
    });
}

const notePartition = (conversation: string) => `MISSED#${conversation}`;
/**
 * A step that is repeated begins with the same message, so that its notes replace those of the worker that died. Later notes have
 * greater keys.
 */
const noteKey = ({ conversation, messageIds: [first = 0] }: Note): Key => ({
  pk: notePartition(conversation),
  sk: padded(first),
});
const noteContent = ({ messageIds, userIds }: Note) => ({
  messages: packed(messageIds),
  users: packed(userIds.toSorted((a, b) => a - b)),
  expiresAt: expiry(),
});

/** Writes the notes of a step of the log consumer, up to a sequence number. 1 write unit each, for up to about 2,000 users. */
export const putNotes = (notes: readonly Note[], upTo: number): Promise<void> =>
  batchWrite(notes.map((note) => ({ ...noteKey(note), ...noteContent(note), upTo })));

const rangeOfNotes = (conversation: string, from: number, to = Number.MAX_SAFE_INTEGER) =>
  queryItems<StoredNote>({ pk: notePartition(conversation), from: padded(from), to: padded(to) });

/** Reads notes for several users: those who need the same ones in one turn of the event loop share a read. */
export class NoteReader {
  readonly #pending = new Map<string, Promise<StoredNote[]>>();

  /** The notes from a message on. The read begins after this call, so it finds whatever was noted before. */
  read(conversation: string, from: number): Promise<StoredNote[]> {
    const name = `${from} ${conversation}`;
    const start = async () => {
      await nextTurn();
      this.#pending.delete(name);
      return rangeOfNotes(conversation, from);
    };
    const notes = this.#pending.get(name) ?? start();
    this.#pending.set(name, notes);
    return notes;
  }
}

/** The users whom the log consumer noted for some of these messages. 1 read unit for 4 KB. */
export async function listNotedUsers({ conversation, messageIds }: Omit<Note, "userIds">): Promise<Set<number>> {
  const notes = await rangeOfNotes(conversation, messageIds[0] ?? 0, messageIds.at(-1));
  return new Set(notes.flatMap(({ users }) => unpacked(users)));
}

/** The note of a second check. Checks of the same messages for different users have different keys. */
const secondKey = (note: Note): Key => ({
  pk: notePartition(note.conversation),
  sk: `AGAIN#${noteKey(note).sk}#${padded(note.userIds[0] ?? 0)}`,
});
/** A second note's name in a due mail. */
const nameOf = ({ pk, sk }: Key) => `${sk} ${pk}`;
const keyNamed = (name: string): Key => {
  const end = name.indexOf(" ");
  return { pk: name.slice(end + 1), sk: name.slice(0, end) };
};

/** A second check's note, as the first worker wrote it. */
interface SecondNote {
  key: Key;
  userIds: number[];
  isComplete: boolean;
}

/** Writes the note of a second check, unless it exists; `key` identifies the check. 1 write unit. */
export async function putSecondNote(key: Note, userIds: readonly number[]): Promise<SecondNote> {
  const { messages, users, expiresAt } = noteContent({ ...key, userIds });
  const stored = await updateItem<StoredNote>(secondKey(key), { setIfAbsent: { messages, users, expiresAt } });
  return { key: secondKey(key), userIds: unpacked(stored.users), isComplete: stored.isComplete === true };
}

/** Marks that each user of a second note has a due mail. 1 write unit. */
export async function completeSecondNote({ key }: SecondNote): Promise<void> {
  await updateItem(key, { set: { isComplete: true } });
}

/** The mail about one conversation, as a worker has decided it. */
export interface DecidedMail {
  id: string;
  /** The first messages, as many as a mail shows, and how many more there are. */
  messageIds: number[];
  omitted: number;
  reason?: string;
}

/** A user's next e-mail, if one is due, and the last ones. */
export interface DueMail {
  userId: number;
  /** UNIX seconds. */
  dueAt?: number;
  /** Incremented whenever something is added. */
  version: number;
  /** The ID of the first message that may have been missed. */
  from?: number;
  /** The conversations with notes. */
  conversations?: Set<string>;
  /** Names of second notes. */
  again?: Set<string>;
  decided?: DecidedMail[];
  /** UNIX seconds. */
  decidedAt?: number;
}

const dueKey = (userId: number) => ({ pk: `USER#${userId}`, sk: "DUEMAIL" });
const dueIndexKeys = (userId: number, dueAt: number) => ({
  gsi3pk: "DUEMAILS",
  gsi3sk: `${padded(dueAt)}#USER#${padded(userId)}`,
});
const unchanged = ({ version, dueAt }: DueMail): Condition => ({ equals: { version, dueAt } });

export const findDueMail = (userId: number) => getItem<DueMail>(dueKey(userId));

/** Users whose e-mail is due before a time, at most `limit`, the most overdue first; 0.5 read units for about 80. */
export const listDueUserIds = (atSeconds: number, limit: number) =>
  queryIds({ index: "gsi3", pk: "DUEMAILS", to: padded(atSeconds), limit });

/** What is added to a user's due mail. */
interface Addition {
  /** The time for which the mail is due if none is yet. */
  dueAt: number;
  from?: number;
  conversations?: ReadonlySet<string>;
  again?: SecondNote;
}

/** Due mails that this process has seen, each with the time up to which it is sure to exist. */
export const seenDueMails = new ProcessCache<number, { dueAt: number; conversations: ReadonlySet<string> }>({
  minRetained: 20_000,
});
/** Exceeds the difference between the clocks of two processes. */
const clockToleranceSeconds = 10;

/**
 * Whether the user's due mail is sure to name a conversation. A mail is taken only once it is due, so that a note that is
 * written earlier is read with it. Call it after the note is written.
 */
export function isSureToBeDue(userId: number, conversation: string): boolean {
  const seen = seenDueMails.get(userId);
  return (
    seen !== undefined && seen.dueAt - clockToleranceSeconds > Date.now() / 1000 && seen.conversations.has(conversation)
  );
}

/**
 * Adds to a user's due mail, and creates it if there is none. Must follow the note: the higher version keeps a worker that read
 * the notes before from taking the mail. Returns when it is due. 1 write unit, 2 if it becomes due.
 */
export async function addToDueMail(userId: number, { dueAt, from, conversations, again }: Addition): Promise<number> {
  const { gsi3pk, gsi3sk } = dueIndexKeys(userId, dueAt);
  const stored = await updateItem<DueMail>(dueKey(userId), {
    set: { userId, gsi3pk, expiresAt: expiry() },
    setIfAbsent: { dueAt, gsi3sk, ...(from !== undefined && { from }) },
    add: {
      version: 1,
      ...(conversations && { conversations: new Set(conversations) }),
      ...(again && { again: new Set([nameOf(again.key)]) }),
    },
  });
  seenDueMails.set(userId, { dueAt: stored.dueAt ?? 0, conversations: stored.conversations ?? new Set() });
  return stored.dueAt ?? 0;
}

/** The messages that a due mail is about, and what must stay due because its notes are not complete. */
interface NotedMessages {
  /** Ascending. */
  messageIds: number[];
  rest: Pick<DueMail, "from" | "conversations" | "again">;
}

/**
 * Reads the notes of a due mail. `consumedUpTo` is the log consumer's cursor, read before: what comes after may be written again,
 * by another worker. 1 read unit for each conversation and about 10 notes in it, and for each second note.
 */
export async function listNoted(due: DueMail, consumedUpTo: number, notes = new NoteReader()): Promise<NotedMessages> {
  const { userId, from = 0, conversations = new Set(), again = new Set() } = due;
  const names = [...again];
  const [first, second] = await Promise.all([
    Promise.all([...conversations].map((conversation) => notes.read(conversation, from))),
    getItems<StoredNote>(names.map(keyNamed)),
  ]);
  const ofUser = first.map((some) => some.filter(({ users }) => unpacked(users).includes(userId)));
  const isComplete = ({ upTo = 0 }: StoredNote) => upTo <= consumedUpTo;
  const incomplete = ofUser.flat().filter((note) => !isComplete(note));
  const restConversations = [...conversations].filter((_, index) => !ofUser[index]?.every(isComplete));
  const restNames = names.filter((_, index) => second[index] && !second[index].isComplete);
  const read = [...ofUser.flat().filter(isComplete), ...second.flatMap((note) => (note?.isComplete ? [note] : []))];
  return {
    messageIds: [...new Set(read.flatMap(({ messages }) => unpacked(messages)))].sort((a, b) => a - b),
    rest: {
      ...(incomplete.length > 0 && {
        from: Math.min(...incomplete.map(({ sk }) => Number(sk))),
        conversations: new Set(restConversations),
      }),
      ...(restNames.length > 0 && { again: new Set(restNames) }),
    },
  };
}

/** Postpones a user's e-mail; false when something was added meanwhile. 1 write unit, and 2 for the index. */
export const postponeDueMail = (before: DueMail, dueAt: number): Promise<boolean> =>
  updateIf(dueKey(before.userId), { set: { dueAt, ...dueIndexKeys(before.userId, dueAt) } }, unchanged(before));

/**
 * Takes a due mail: what its notes say is decided, and its mails may be enqueued. `rest` stays due, at `restDueAt`. False when
 * something was added meanwhile, or another worker was faster. 2 write units for mails of up to about 1 KB of records, 3 with a
 * rest.
 */
export function takeDueMail(
  before: DueMail,
  decided: readonly DecidedMail[],
  rest: NotedMessages["rest"],
  restDueAt: number,
): Promise<boolean> {
  const { userId } = before;
  const hasRest = Object.keys(rest).length > 0;
  if (decided.length === 0 && !hasRest) return deleteIf(dueKey(userId), unchanged(before));
  const set: Record<string, unknown> = {
    ...rest,
    ...(hasRest && { dueAt: restDueAt, ...dueIndexKeys(userId, restDueAt) }),
    // Old decisions stay until newer ones: their mails may not have been enqueued.
    ...(decided.length > 0 && { decided, decidedAt: nowSeconds() }),
    expiresAt: expiry(),
  };
  const names = ["dueAt", "gsi3pk", "gsi3sk", "from", "conversations", "again"];
  return updateIf(dueKey(userId), { set, remove: names.filter((name) => !(name in set)) }, unchanged(before));
}

/** The mails that a worker has decided to send lately, and may have died before sending. */
export const lastDecided = ({ decided = [], decidedAt = 0 }: DueMail): readonly DecidedMail[] =>
  nowSeconds() - decidedAt < decidedRetentionSeconds ? decided : [];
