import { ApiFailure } from "../base/api/client.ts";
import { capabilities, stateOf } from "../state/snapshot.ts";
import { statusToReport } from "./activity.ts";
import { type PresenceAnswer, waitAtSocket } from "./event-socket.ts";
import { pause, retryDelayMs } from "./retry.ts";
import { currentSession, perSession, type Session, sessionSignal } from "./session.ts";
import { currentState, dispatch, receive, setRegistered, state } from "./store.ts";

/**
 * A session's connection to the server: registers an event queue, passes on its events, and registers again when the queue has
 * expired.
 */

export type Connection = "connecting" | "live" | "reconnecting";

export const connection = sessionSignal<Connection>("connecting");

const registrationTimeoutMs = 60_000;
/** Longer than the server holds a long poll. */
const pollTimeoutMs = 120_000;
const ticketTimeoutMs = 20_000;

/** Registers an event queue and makes the server's snapshot the state. */
export async function register(session: Session, end: AbortSignal = session.end): Promise<void> {
  const snapshot = await session.call(
    "POST /register",
    {
      apply_markdown: true,
      client_gravatar: true,
      slim_presence: true,
      include_subscribers: "false",
      client_capabilities: capabilities,
    },
    { signal: AbortSignal.any([end, AbortSignal.timeout(registrationTimeoutMs)]) },
  );
  if (currentSession() !== session) return;
  await setRegistered(stateOf(snapshot));
  if (currentSession() !== session) return;
  connection.value = "live";
}

/** What a session has at its WebSocket. */
const atSocket = perSession(() => ({
  /** Acknowledges at once by the WebSocket at which the page waits. */
  acknowledge: undefined as (() => void) | undefined,
  /** Whether the organization has more presences than a message contains. */
  areTooMany: false,
}));
/** Whether the page waits at a WebSocket. */
export const isAtSocket = (): boolean => atSocket().acknowledge !== undefined;
/** Has the server answer by the WebSocket; false if the page does not wait at one. */
export function askAtSocket(): boolean {
  atSocket().acknowledge?.();
  return isAtSocket();
}

export const areTooMany = (): boolean => atSocket().areTooMany;

/** What an acknowledgement says of the user. Nobody looks at a hidden page, which asks for no presences. */
function presenceToReport() {
  const { presenceUpdateId } = currentState();
  const asks = !document.hidden && !areTooMany();
  return { presence: statusToReport(), ...(asks && { presence_last_update_id: presenceUpdateId }) };
}

function receivePresences(answer: PresenceAnswer) {
  if (answer.presences !== undefined) dispatch({ kind: "presences", answer, nowMs: Date.now() });
  else if (answer.presence_last_update_id !== undefined) atSocket().areTooMany = true;
}

/** Waits for events until the session ends: at a WebSocket or, while none can be opened, by polls. */
export async function waitForEvents(session: Session, endSignal: AbortSignal): Promise<void> {
  const sockets = new SocketAttempts();
  let isNewQueue = false;
  for (let failures = 0; !endSignal.aborted; ) {
    try {
      if (sockets.isDue()) {
        await sockets.wait(session, endSignal);
        if (sockets.isDue()) continue;
      }
      await poll(session, endSignal, Math.min(pollTimeoutMs, sockets.dueInMs()));
      failures = 0;
      isNewQueue = false;
    } catch (error) {
      if (endSignal.aborted) return;
      // The poll was ended, because a WebSocket can be tried again.
      if (sockets.isDue() && isTimeout(error)) continue;
      const code = error instanceof ApiFailure ? error.code : "NETWORK";
      // If a new queue is not there either, this pauses first.
      if (code === "BAD_EVENT_QUEUE_ID" && !isNewQueue) {
        connection.value = "reconnecting";
        if (await attempt(() => register(session, endSignal))) {
          isNewQueue = true;
          continue;
        }
      }
      isNewQueue = false;
      failures++;
      if (failures > 1) connection.value = "reconnecting";
      await pause(retryDelayMs(error, failures), endSignal);
    }
  }
}

/** Polls once, for at most `timeoutMs`. */
async function poll(
  session: Session,
  end: AbortSignal,
  timeoutMs: number,
  { dont_block = false } = {},
): Promise<number> {
  const { queueId, lastEventId } = currentState();
  const { events } = await session.call(
    "GET /events",
    { queue_id: queueId, last_event_id: lastEventId, ...(dont_block && { dont_block }) },
    { signal: AbortSignal.any([end, AbortSignal.timeout(timeoutMs)]) },
  );
  if (currentSession() === session) {
    connection.value = "live";
    receive(events);
  }
  return events.length;
}

/** Clients that lost their connections together, because of a deployment or an outage, return over this time. */
const maxReturnMs = 5_000;
const minRetryMs = 5_000;
const maxRetryMs = 600_000;

/** When a session waits at a WebSocket, and when it tries to open one again. */
class SocketAttempts {
  #dueAt = 0;
  #failures = 0;

  isDue = () => Date.now() >= this.#dueAt;
  dueInMs = () => Math.max(1, this.#dueAt - Date.now());

  /** Waits at a WebSocket until its connection has ended, or at once if none can be opened. */
  async wait(session: Session, signal: AbortSignal): Promise<void> {
    const outcome = await this.#connect(session, signal);
    if (outcome === "refused") {
      const delayMs = Math.min(maxRetryMs, minRetryMs * 2 ** this.#failures++);
      this.#dueAt = Date.now() + delayMs * (0.5 + Math.random() / 2);
      return;
    }
    this.#failures = 0;
    if (outcome === "lost" && !signal.aborted) await pause(Math.random() * maxReturnMs, signal);
  }

  async #connect(session: Session, signal: AbortSignal): Promise<"old" | "lost" | "refused"> {
    const { queueId } = currentState();
    try {
      const params = { queue_id: queueId };
      const timeout = AbortSignal.timeout(ticketTimeoutMs);
      const options = { signal: AbortSignal.any([signal, timeout]) };
      const { url } = await session.call("POST /events/connection", params, options);
      return await waitAtSocket(
        url,
        {
          queueId,
          lastEventId: () => currentState().lastEventId,
          receive: (events) => {
            if (currentSession() === session) receive(events);
          },
          sawThrough: (id) => {
            const current = state.peek();
            if (current && currentSession() === session && current.lastEventId < id)
              state.value = { ...current, lastEventId: id };
          },
          fetchThrough: async (id) => {
            while (
              currentState().lastEventId < id &&
              (await poll(session, signal, pollTimeoutMs, { dont_block: true })) > 0
            );
          },
          presence: presenceToReport,
          receivePresences: (message) => {
            if (currentSession() === session) receivePresences(message);
          },
          onLive: (ask) => {
            if (currentSession() !== session) return;
            connection.value = "live";
            atSocket().acknowledge = ask;
          },
        },
        signal,
      );
    } catch {
      // The poll that follows finds out what is wrong, and what to do.
      return "refused";
    } finally {
      if (currentSession() === session) atSocket().acknowledge = undefined;
    }
  }
}

const isTimeout = (error: unknown) => error instanceof ApiFailure && error.code === "NETWORK";

/** Whether the work succeeds. */
const attempt = (work: () => Promise<void>) =>
  work().then(
    () => true,
    () => false,
  );
