import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { fleetSecret } from "../../../base/aws/secret.ts";
import { wakeUpQueuesUrl } from "../../../base/environment.ts";
import { ApiError, accountDeactivated, realmDeactivated, unauthorized } from "../../../base/errors.ts";
import { describeError } from "../../../base/observability/describe-error.ts";
import { nowSeconds } from "../../../base/time.ts";
import type { Acknowledgement } from "../../../services/connections/messages.ts";
import { endConnection, maxMessageBytes, postToConnection } from "../../../services/connections/post.ts";
import { toCaller } from "../../../services/identity/access.ts";
import type { Caller } from "../../../services/identity/caller.ts";
import { newLinkToken } from "../../../services/identity/link-tokens.ts";
import { acceptedKeyHashes, findSession, noteUse } from "../../../services/identity/sessions.ts";
import { loadRealm, type Realm } from "../../../services/organization/access.ts";
import {
  type EventQueue,
  expiryOf,
  findEventQueue,
  saveTicket,
  useTicket,
} from "../../../store/delivery/event-queues.ts";
import {
  findWakeUpQueueRecord,
  removeRecordConnection,
  setRecordConnection,
  setWakeUpChannels,
} from "../../../store/delivery/wake-up-queues.ts";
import { readHead } from "../../../store/log/log.ts";
import { withConsistentReads } from "../../../store/table/consistency.ts";
import { forgetAllStarted } from "../../../store/table/shared-reads.ts";
import { transact } from "../../../store/table/transactions.ts";
import { type Account, findAccount } from "../../../store/users/accounts.ts";
import type { NumberedEvent } from "../client-events.ts";
import { findPollCache, type PollCache } from "../fresh-messages.ts";
import { eventId } from "../ids.ts";
import { eventsAfter } from "../poll.ts";
import { catchUp, type Position, positionAt, touchIfDue } from "../position.ts";
import { badEventQueueId } from "../queue.ts";
import { sharedRead } from "../shared-reads.ts";
import { ensureRecord, receivesOtherChannels } from "../wake-up-queues.ts";
import { forgetConnection } from "./forget-connection.ts";
import { answerPresence } from "./presence.ts";

/**
 * Waiting at a WebSocket: events are posted to the connection of their queue. Each message says after which ID its events
 * begin, so a client notices when it lacks an earlier one, and no state says what was posted: what a client has seen is what
 * it acknowledges, as in a poll.
 */

/** What a connection receives: all events of its queue with an ID above `after`, up to `through`. */
interface EventsMessage {
  type: "events";
  after: number;
  through: number;
  events: NumberedEvent[];
}

/** The events are too large for a message: the client gets them by `GET /events` with `dont_block`. */
interface LookMessage {
  type: "look";
  through: number;
}

const ticketSeconds = 30;

/**
 * A ticket with which the owner's client may open a connection within half a minute, once, as the account and with the key that
 * `connectedAs` names; from a page, only from the `origin` of the page that asked for it. 1 write unit for each KB of the queue,
 * and 4 more for the first ticket of a queue without a record.
 */
export async function issueTicket(
  connectedAs: NonNullable<EventQueue["connectedAs"]>,
  queue: EventQueue,
  origin: string | undefined,
): Promise<string> {
  const deleted = () => badEventQueueId(queue.id);
  await ensureRecord(queue, deleted);
  const claim = [queue.userId, queue.id, nowSeconds() + ticketSeconds, newLinkToken()].join(".");
  const ticket = `${claim}.${(await signatureOf(claim)).toString("base64url")}`;
  if (!(await saveTicket(queue, { ticketHash: hashTicket(ticket, origin), connectedAs }))) throw deleted();
  return ticket;
}

/** What nobody else can make up: made-up tickets are refused without a read of the table. */
const signatureOf = async (claim: string): Promise<Buffer> =>
  createHmac("sha256", await fleetSecret())
    .update(`connection ticket ${claim}`)
    .digest();

const hashTicket = (ticket: string, origin: string | undefined) =>
  createHash("sha256")
    .update(origin === undefined ? ticket : `${ticket} ${origin}`)
    .digest("hex");

/**
 * Gives a queue the connection that was opened with its ticket, and ends the one before; returns the queue's owner. Events are
 * posted from the connection's first message on, since API Gateway accepts no posts before the client is connected. Throws
 * UNAUTHORIZED for a ticket that is invalid, used, or too old.
 */
export async function openConnection(
  { ticket, origin, connectionId }: { ticket: string; origin: string | undefined; connectionId: string },
  countFailure: () => Promise<void>,
): Promise<number> {
  const [, claim = "", userId = "", queueId = "", expiresAt = "", signature = ""] =
    /^((\d{1,15})\.([\w-]{1,100})\.(\d{1,15})\.[\w-]{43})\.([\w-]{43})$/.exec(ticket) ?? [];
  const isOurs =
    Number(expiresAt) >= nowSeconds() && timingSafeEqual(Buffer.from(signature, "base64url"), await signatureOf(claim));
  const queue = isOurs ? await findEventQueue(Number(userId), queueId) : undefined;
  const { ticketHash } = queue ?? {};
  const isValid = ticketHash === hashTicket(ticket, origin) || ticketHash === hashTicket(ticket, undefined);
  if (!queue || ticketHash === undefined || !isValid || !(await useTicket(queue, ticketHash, connectionId))) {
    await countFailure();
    throw unauthorized("Invalid ticket");
  }
  if (queue.connectionId !== undefined) await endConnection(queue.connectionId);
  return queue.userId;
}

/**
 * Posts the events after the last one that a connected client has, and saves what it has acknowledged and reports; returns the
 * queue's owner. Throws UNAUTHORIZED if the connection is no longer the queue's, or if the key with which it was opened is no longer
 * valid.
 */
export async function answerAcknowledgement(
  connectionId: string,
  acknowledgement: Acknowledgement,
  countMessage: (userId: number) => Promise<void>,
): Promise<number> {
  const { queue_id: queueId, last_event_id: lastEventId } = acknowledgement;
  const record = await findWakeUpQueueRecord(queueId);
  const queue = record && (await findEventQueue(record.userId, queueId));
  if (!queue) throw badEventQueueId(queueId);
  if (queue.connectionId !== connectionId) throw unauthorized("The connection is no longer in use");
  await countMessage(queue.userId);
  const account = await findConnectedAccount(queue);
  const caller = callerOf(queue, account);
  // A page that is open and left alone is not in use.
  if (account && acknowledgement.presence === "active") await noteUseOf(queue, account);
  if (record.connectionId !== connectionId)
    await transact([setRecordConnection(queueId, connectionId)], { refusal: () => badEventQueueId(queueId) });
  const [found, presences] = await Promise.all([
    eventsSince(caller, queue, lastEventId),
    answerPresence(caller, acknowledgement),
  ]);
  // An event may be newer than the account that was read above.
  if (found.events.length > 0) await currentCaller(queue);
  const end = found.isCut ? (await readHead()).event : found.position.sequence;
  const message = { ...messageOf(queue, lastEventId, found, end), ...presences };
  if (!(await postToConnection(connectionId, message))) await forgetConnection(queue, connectionId);
  return queue.userId;
}

/** The events after the last one that a client has, which is saved from time to time. */
async function eventsSince(caller: Caller, queue: EventQueue, lastEventId: number): Promise<Found> {
  const position = await catchUp(queue, lastEventId);
  await touchIfDue(queue, position);
  return newEvents(caller, queue, position, { cache: findPollCache(queue.id, position.sequence) });
}

/** The owner of a connected queue, if the key with which the connection was opened is still valid. */
const currentCaller = async (queue: EventQueue): Promise<Caller> => callerOf(queue, await findConnectedAccount(queue));

const findConnectedAccount = async ({ connectedAs }: EventQueue) => connectedAs && findAccount(connectedAs.email);

const acceptsKeyOf = ({ connectedAs }: EventQueue, account: Account): boolean =>
  acceptedKeyHashes(account).includes(connectedAs?.keyHash ?? "");

async function noteUseOf({ connectedAs }: EventQueue, account: Account): Promise<void> {
  const session = connectedAs && findSession(account, connectedAs.keyHash);
  if (session) await noteUse(account, session);
}

function callerOf(queue: EventQueue, account: Account | undefined): Caller {
  if (account?.userId !== queue.userId || !acceptsKeyOf(queue, account)) throw unauthorized("Invalid API key");
  if (!account.active) throw accountDeactivated();
  if (account.realmDeactivated) throw realmDeactivated();
  return toCaller(account);
}

interface Found {
  events: NumberedEvent[];
  isCut: boolean;
  position: Position;
  caller: Caller;
}

/**
 * The events after a position. If the owner joins channels there, first records them, and then reads on: otherwise an event in between
 * would neither be read here nor concern the queue according to its record. Channels that the owner has left stay in the record
 * until the queue's position is saved with it: who reads from that position on would not notice that they were joined again.
 */
async function newEvents(
  caller: Caller,
  queue: EventQueue,
  start: Position,
  { upTo, cache }: { upTo?: number; cache: PollCache },
): Promise<Found> {
  const options = { upTo, maxBytes: maxMessageBytes, cache };
  const found = await eventsAfter(caller, queue, start, options);
  const recorded = start.channelIds.union(queue.channelIds ?? new Set<number>());
  if (found.isCut || found.position.channelIds.isSubsetOf(recorded) || receivesOtherChannels(queue)) return found;
  await transact([setWakeUpChannels(queue.id, recorded.union(found.position.channelIds))], {
    refusal: () => badEventQueueId(queue.id),
  });
  // What was read ahead for the events until here may be older than the later ones.
  forgetAllStarted();
  const later = await newEvents(found.caller, queue, found.position, { cache });
  return { ...later, events: [...found.events, ...later.events] };
}

/** The ID up to which a client has everything that the log contains up to a sequence number. */
const throughId = (queue: EventQueue, sequence: number) =>
  sequence <= queue.base ? -1 : eventId(queue, sequence, 0, 1);

/** The message about the events up to `end`, of which those of a `Found` that is cut are only the first. */
function messageOf(
  queue: EventQueue,
  after: number,
  { events, isCut }: Found,
  end: number,
): EventsMessage | LookMessage {
  const through = Math.max(after, throughId(queue, end));
  const message = { type: "events" as const, after, through, events };
  const isTooLarge = isCut || Buffer.byteLength(JSON.stringify(message)) > maxMessageBytes;
  return isTooLarge ? { type: "look", through } : message;
}

/** A connection whose queue has new events. */
export interface ConnectedQueue {
  queueId: string;
  userId: number;
  connectionId: string;
  /** The sequence number up to which this fleet's latest message to the connection went. Absent: what the client acknowledged. */
  posted?: number | undefined;
  /** The sequence number up to which no later entry concerned the queue. Absent: `posted`. */
  evaluated?: number | undefined;
  known?: KnownQueue | undefined;
}

/** What an earlier post read for a connection, as of `evaluated`, so that the next one need not. */
export interface KnownQueue {
  queue: EventQueue;
  account: Account;
  /** The version of all accounts before this one was read (`accountsVersion`): it is valid while that is the same. */
  version: string;
  channelIds: ReadonlySet<number>;
  cache: PollCache;
}

/** What a process remembers of a connection. */
export type Progress = Pick<ConnectedQueue, "known"> & { posted: number; evaluated: number };

/** Undefined while the organization is deactivated, when accounts are marked one after the other. */
const accountsVersion = ({ uuid, usersVersion, keysVersion, deactivatedAt }: Realm): string | undefined =>
  deactivatedAt === undefined ? `${uuid} ${usersVersion} ${keysVersion}` : undefined;

/** The result of `find`; undefined, after ending the connection, if it throws because the owner's access has ended. */
async function permitted(
  queue: EventQueue,
  connectionId: string,
  find: () => Caller | Promise<Caller>,
): Promise<Caller | undefined> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    await Promise.all([forgetConnection(queue, connectionId), endConnection(connectionId)]);
    return undefined;
  }
}

/**
 * Posts a queue's events up to a sequence number to its connection. Returns the sequence number up to which the client then has
 * everything; undefined if the connection is gone; "failed" if the client may lack them: until they are posted again, it notices
 * by the next message, or by its own next acknowledgement.
 */
export async function postEvents(
  target: ConnectedQueue,
  upTo: number,
  { postEmpty = false } = {},
): Promise<Progress | "failed" | undefined> {
  const { queueId, userId, connectionId } = target;
  const known = target.known && nowSeconds() < expiryOf(target.known.queue) ? target.known : undefined;
  try {
    // The organization comes before the account: its version then says whether the account has changed since.
    const [realm, queue] = await Promise.all([realmAsOf(upTo), known?.queue ?? findEventQueue(userId, queueId)]);
    if (queue?.connectionId !== connectionId) {
      // Another connection or a poll has replaced it, or the queue is gone.
      await Promise.all([removeRecordConnection(queueId, connectionId), endConnection(connectionId)]);
      return undefined;
    }
    const version = accountsVersion(realm);
    // A session that was used since may seem too long unused.
    const isCurrent = known !== undefined && known.version === version && acceptsKeyOf(queue, known.account);
    const account = isCurrent ? known.account : await findConnectedAccount(queue);
    const caller = await permitted(queue, connectionId, () => callerOf(queue, account));
    if (!caller || !account) return undefined;
    const posted = Math.max(target.posted ?? 0, queue.sequence);
    const start = Math.max(target.evaluated ?? 0, posted);
    if (start >= upTo) return { posted, evaluated: start };
    const position = known
      ? { sequence: start, channelIds: known.channelIds }
      : await positionAt(queue, start, () => new Error(`There is no entry ${start}`));
    const cache = known?.cache ?? findPollCache(queueId, start);
    const found = await newEvents(caller, queue, position, { upTo, cache });
    const reached = found.isCut ? Math.max(upTo, found.position.sequence) : found.position.sequence;
    // An entry after `upTo` may be newer than the account.
    if (reached > upTo && !(await permitted(queue, connectionId, () => currentCaller(queue)))) return undefined;
    const progress: Progress = { posted, evaluated: reached };
    if (version !== undefined && !found.isCut && reached === upTo) {
      const withGroups = { ...account, groupIds: new Set(found.caller.groupIds) };
      progress.known = { queue, account: withGroups, version, channelIds: found.position.channelIds, cache };
    }
    if (found.events.length === 0 && !postEmpty) return progress;
    if (await postToConnection(connectionId, messageOf(queue, throughId(queue, posted), found, reached)))
      return { ...progress, posted: reached };
    await forgetConnection(queue, connectionId);
    if (wakeUpQueuesUrl()) await (await import("../../../services/jobs/wake-up-queues.ts")).wake([queueId]);
    return undefined;
  } catch (error) {
    console.error(JSON.stringify({ connection: "not posted to", error: describeError(error) }));
    return "failed";
  }
}

/** The organization, read when the log had reached a sequence number. */
const realmAsOf = (sequence: number) => withConsistentReads(() => sharedRead(`realm ${sequence}`, 500, loadRealm));
