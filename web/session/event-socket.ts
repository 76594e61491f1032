import { parseJson } from "../base/lib/json.ts";
import type { ServerEvent } from "../state/events/handler.ts";

/**
 * Waits for events at a WebSocket. Each message says after which ID its events begin: if the page lacks an earlier event, it
 * acknowledges the last one that it has, and the server answers with all that follow.
 */

/** The page's event queue. */
export interface SocketQueue {
  queueId: string;
  /** The ID up to which the page has all events. */
  lastEventId(): number;
  receive(events: readonly ServerEvent[]): void;
  /** Notes that the page has all events up to an ID, even if none has it. */
  sawThrough(id: number): void;
  /** Fetches events, which were too large for a message, up to an ID or until there are no more. */
  fetchThrough(id: number): Promise<void>;
  /** Whether the user is there, and which presences the page asks for: a part of each acknowledgement. */
  presence(): { presence: string; presence_last_update_id?: number };
  /** Takes the presences that are in a message. */
  receivePresences(message: PresenceAnswer): void;
  /** Called for each answer of the server, with a function that acknowledges at once. */
  onLive(acknowledge: () => void): void;
}

/** The presences that the page asked for; without `presences`, they are too large for a message. */
export interface PresenceAnswer {
  presence_last_update_id?: unknown;
  presences?: unknown;
  server_timestamp?: unknown;
}

/** API Gateway ends a connection after ten minutes without a message, and an event queue expires after as long. */
const heartbeatMs = 240_000;
/** How long the server may take to answer before the connection counts as lost. */
const answerTimeoutMs = 15_000;
/** After this time without a message, a page that is shown again checks that the connection still exists. */
const quietMs = 20_000;
/** API Gateway ends a connection after two hours. Pages that were opened together do not reconnect together. */
const maxAgeMs = () => 6_000_000 + Math.random() * 1_000_000;

type Message =
  | ({ type: "events"; after: number; through: number; events: readonly ServerEvent[] } & PresenceAnswer)
  | ({ type: "look"; through: number } & PresenceAnswer)
  | { type: "error"; code: string };

/**
 * Resolves when the connection has ended: "old" if the page ended it because of its age, "lost" if it broke, and "refused" if the
 * server never answered or the address could not be reached, for example because a proxy blocks WebSockets.
 */
export function waitAtSocket(
  url: string,
  queue: SocketQueue,
  signal: AbortSignal,
): Promise<"old" | "lost" | "refused"> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    let isLive = false;
    let lastMessageAt = Date.now();
    let work = Promise.resolve();
    let answerTimer: ReturnType<typeof setTimeout> | undefined;
    const listening = new AbortController();

    const finish = (outcome: "old" | "lost" | "refused" = isLive ? "lost" : "refused") => {
      if (listening.signal.aborted) return;
      listening.abort();
      for (const timer of [answerTimer, ageTimer]) clearTimeout(timer);
      clearInterval(heartbeat);
      socket.close();
      resolve(outcome);
    };
    const acknowledge = () => {
      if (socket.readyState !== WebSocket.OPEN) return;
      answerTimer ??= setTimeout(() => finish(), answerTimeoutMs);
      const { queueId: queue_id, lastEventId } = queue;
      const message = { type: "acknowledge", queue_id, last_event_id: lastEventId(), ...queue.presence() };
      socket.send(JSON.stringify(message));
    };
    const take = async (message: Message) => {
      if (message.type === "error") return finish();
      isLive = true;
      queue.onLive(acknowledge);
      queue.receivePresences(message);
      if (message.type === "look") await queue.fetchThrough(message.through);
      else if (message.after > queue.lastEventId()) return acknowledge();
      else {
        const fresh = message.events.filter(({ id }) => id > queue.lastEventId());
        if (fresh.length > 0) queue.receive(fresh);
      }
      if (!listening.signal.aborted) queue.sawThrough(message.through);
    };
    const checkIfQuiet = () => {
      if (Date.now() - lastMessageAt > quietMs) acknowledge();
    };

    const heartbeat = setInterval(acknowledge, heartbeatMs);
    const ageTimer = setTimeout(() => finish("old"), maxAgeMs());
    answerTimer = setTimeout(() => finish(), answerTimeoutMs);
    const options = { signal: listening.signal };
    signal.addEventListener("abort", () => finish(), options);
    addEventListener("online", checkIfQuiet, options);
    addEventListener("offline", () => finish(), options);
    document.addEventListener("visibilitychange", () => document.hidden || checkIfQuiet(), options);
    socket.addEventListener("open", acknowledge, options);
    socket.addEventListener("close", () => finish(), options);
    socket.addEventListener("error", () => finish(), options);
    socket.addEventListener(
      "message",
      ({ data }) => {
        lastMessageAt = Date.now();
        clearTimeout(answerTimer);
        answerTimer = undefined;
        const message = messageOf(data);
        // One after another, since fetching takes a while.
        if (message)
          work = work.then(() => (listening.signal.aborted ? undefined : take(message))).catch(() => finish());
      },
      options,
    );
  });
}

/** The message in a frame; undefined if it is none that this page knows. */
function messageOf(data: unknown): Message | undefined {
  const message = parseJson(data) as Partial<Record<string, unknown>> | null | undefined;
  const { type, after, through, events } = message ?? {};
  const isKnown =
    (type === "events" && Array.isArray(events) && Number.isSafeInteger(after) && Number.isSafeInteger(through)) ||
    (type === "look" && Number.isSafeInteger(through)) ||
    type === "error";
  return isKnown ? (message as unknown as Message) : undefined;
}
