import { computed, signal } from "@preact/signals";
import type { Call } from "../base/api/calls.ts";
import { ApiFailure, type Credentials, connect } from "../base/api/client.ts";
import { languageLoaded, serverLanguages, t } from "../base/languages/language.ts";
import { twentyFourHours } from "../base/lib/time.ts";
import type { ServerEvent } from "../state/events/handler.ts";
import { type Action, applyAction, applyEvents } from "../state/events/reducer.ts";
import type { State } from "../state/model.ts";
import { type Narrow, narrowKey } from "../state/narrow.ts";
import { capabilities, stateOf } from "../state/snapshot.ts";
import { statusToReport } from "./activity.ts";
import { forgetCredentials, rememberCredentials, rememberedCredentials } from "./credentials.ts";
import { type PresenceAnswer, waitAtSocket } from "./event-socket.ts";

/**
 * A user's connection to the server: registers an event queue, applies its events to the state, and registers again when
 * the queue has expired. All state changes go through here.
 */

export type Connection = "connecting" | "live" | "reconnecting";

export const state = signal<State | undefined>(undefined);
export const connection = signal<Connection>("connecting");
/** Whether the user is signing out, after which the page reloads. */
export const signingOut = signal(false);
/** The session that the server ended, for example by a new password or a deactivation, until somebody signs in. */
export const endedSession = signal<{ reason: string; email: string } | undefined>(undefined);
/** The narrows that are on the screen. */
export const openNarrows = signal<readonly Narrow[]>([]);
/** The message at the top of the screen, which events leave in its list; undefined while the list follows the newest ones. */
export const firstOnScreen = signal<number | undefined>(undefined);
/** Increases with each registration, which invalidates everything that was fetched before. */
export const registrations = signal(0);

/** A slice of the state that changes only when that slice does. */
export const slice = <T>(select: (state: State) => T) =>
  computed(() => (state.value === undefined ? undefined : select(state.value)));

export const users = slice(({ users }) => users);
export const channels = slice(({ channels }) => channels);
export const subscriptions = slice(({ subscriptions }) => subscriptions);
export const unread = slice(({ unread }) => unread);
export const statuses = slice(({ statuses }) => statuses);
export const starred = slice(({ starred }) => starred);
export const unseenSteps = slice(({ unseenSteps }) => unseenSteps);
export const realm = slice(({ realm }) => realm);
export const settings = slice(({ settings }) => settings);
export const realmEmoji = slice(({ realmEmoji }) => realmEmoji);
export const topicPolicies = slice(({ topicPolicies }) => topicPolicies);
export const ownUserId = slice(({ userId }) => userId);
export const ownUser = computed(() => users.value?.get(ownUserId.value ?? 0));

type EventListener = (events: readonly ServerEvent[], before: State) => void;
const listeners = new Set<EventListener>();
/** Calls `listener` with each batch of events after it was applied; returns a function that unsubscribes. */
export function onEvents(listener: EventListener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

interface Session {
  call: Call;
  credentials: Credentials;
  /** Aborted when the session ends. */
  end: AbortController;
  /** When the session ends, in UNIX seconds, if the organization limits its age: then the key is the session's own. */
  endsAt?: number | undefined;
  /** Whether the key is being replaced: then a refusal of the old one does not end the session. */
  isRenewing?: boolean;
}

const fileSessionTimeoutMs = 20_000;
const registrationTimeoutMs = 60_000;
/** Longer than the server holds a long poll. */
const pollTimeoutMs = 120_000;

const ticketTimeoutMs = 20_000;

let currentSession: Session | undefined;

/** Calls an endpoint as the user. */
export const call: Call = (endpoint, ...args) => {
  if (!currentSession) throw new Error("Nobody is signed in");
  return currentSession.call(endpoint, ...args);
};
export const credentials = () => currentSession?.credentials;
/** When the session ends, in UNIX seconds; undefined: its key is the API key, which does not. */
export const sessionEndsAt = () => currentSession?.endsAt;
/** Aborted when the current session ends. */
export const sessionEnd = (): AbortSignal => currentSession?.end.signal ?? AbortSignal.abort();

export function dispatch(action: Action): void {
  if (state.value) state.value = applyAction(state.value, action);
}

/** The current state, without subscribing to it. */
export const currentState = (): State => {
  const current = state.peek();
  if (!current) throw new Error("Nobody is signed in");
  return current;
};

/**
 * Starts a session, which ends when `endSignal` is aborted, and remembers its credentials: if the organization limits the age of
 * sessions, a key that the server gives for the given one. Throws ApiFailure if the server refuses the credentials or cannot be
 * reached.
 */
export async function start(given: Credentials, endSignal?: AbortSignal): Promise<void> {
  const end = new AbortController();
  endSignal?.addEventListener("abort", () => end.abort(), { once: true });
  // The browser fetches pictures and files itself, with a cookie that is only valid for them.
  const { session_key: apiKey = given.apiKey, session_ends_at: endsAt } = await connect(given)(
    "POST /users/me/file_session",
    {},
    { signal: AbortSignal.any([end.signal, AbortSignal.timeout(fileSessionTimeoutMs)]) },
  );
  const credentials = { email: given.email, apiKey };
  rememberCredentials(credentials);
  const call = connect(credentials, (refusal, refused) => endRefused(session, refusal, refused));
  const session: Session = { call, credentials, endsAt, end };
  currentSession?.end.abort();
  currentSession = session;
  await register(session);
  endedSession.value = undefined;
  void waitForEvents(session);
}

/** Replaces the key of the session with the one that `renew` resolves with. */
export async function renewKey(renew: () => Promise<Credentials>): Promise<void> {
  const session = currentSession;
  if (!session) return;
  session.isRenewing = true;
  try {
    const renewed = await renew();
    rememberCredentials(renewed);
    await start(renewed);
  } finally {
    session.isRenewing = false;
  }
}

const replacementWaitMs = 2000;

/**
 * Finds the credentials by which another window of this browser replaced refused ones. The server refuses the old key before
 * that window has received and remembered the new one, so this waits up to two seconds for it.
 */
export async function replacementOf({ email, apiKey }: Credentials): Promise<Credentials | undefined> {
  /** Whether the refused key is still the remembered one. */
  const isRemembered = () => rememberedCredentials()?.apiKey === apiKey;
  if (isRemembered())
    await new Promise<void>((resolve) => {
      const listening = new AbortController();
      const finish = () => {
        listening.abort();
        resolve();
      };
      setTimeout(finish, replacementWaitMs);
      addEventListener("storage", () => isRemembered() || finish(), { signal: listening.signal });
    });
  const remembered = rememberedCredentials();
  return remembered?.email === email && remembered.apiKey !== apiKey ? remembered : undefined;
}

/**
 * Ends a session whose key the server refused, unless another window of this browser has replaced the key; then returns the new
 * credentials.
 */
async function endRefused(
  session: Session,
  refusal: ApiFailure,
  refused: Credentials,
): Promise<Credentials | undefined> {
  if (currentSession !== session) return undefined;
  const replacement = await replacementOf(refused);
  if (currentSession !== session) return undefined;
  if (replacement) {
    session.credentials = replacement;
    return replacement;
  }
  if (session.isRenewing) return undefined;
  if (rememberedCredentials()?.apiKey === refused.apiKey) forgetCredentials();
  currentSession = undefined;
  session.end.abort();
  state.value = undefined;
  // That a key is invalid says nothing to people; that an account or organization was deactivated does.
  const detail = refusal.message === "Invalid API key" ? "" : ` ${refusal.message}.`;
  endedSession.value = { reason: `${t("Your session has ended.")}${detail}`, email: refused.email };
  return undefined;
}

/** Handles a refused key as the typed client does (`endRefused`), for requests that are sent without it. */
export const afterRefusal = async (refusal: ApiFailure, refused: Credentials) =>
  currentSession && endRefused(currentSession, refusal, refused);

/** Like `start`, but retries while the server cannot be reached. */
export const startOnceReachable = (credentials: Credentials, endSignal: AbortSignal): Promise<void> =>
  retryOnceReachable(
    // An earlier attempt may have got a key in place of the given one.
    () => start(rememberedCredentials() ?? credentials, endSignal),
    endSignal,
    () => {
      connection.value = "reconnecting";
    },
  );

/** Retries work that fails for a temporary reason, until `endSignal` is aborted. */
export async function retryOnceReachable<T>(
  work: () => Promise<T>,
  endSignal: AbortSignal,
  onFailure: () => void = () => {},
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (endSignal.aborted || !isTemporary(error)) throw error;
      onFailure();
      await pause(retryDelayMs(error, failures), endSignal);
      if (endSignal.aborted) throw error;
    }
  }
}

const isTemporary = (error: unknown) =>
  error instanceof ApiFailure && (error.code === "NETWORK" || error.status === 429 || error.status >= 500);

/** Exponential back-off with jitter; at least the server's `Retry-After`. */
const retryDelayMs = (error: unknown, failures: number) =>
  Math.max(
    error instanceof ApiFailure && error.retryAfterSeconds ? error.retryAfterSeconds * 1000 : 0,
    Math.min(30_000, 500 * 2 ** failures) * (0.5 + Math.random() / 2),
  );

/** Ends the session and deletes its event queue on the server; of the browser's last window also the cookie for files. */
export async function endSession({ isLast = true } = {}): Promise<void> {
  const session = currentSession;
  currentSession = undefined;
  if (!session) return;
  session.end.abort();
  const queueId = state.value?.queueId;
  state.value = undefined;
  await Promise.allSettled([
    ...(isLast ? [session.call("DELETE /users/me/file_session")] : []),
    ...(queueId ? [session.call("DELETE /events", { queue_id: queueId })] : []),
  ]);
}

/** How the user wants to read texts and times. */
function applyLocaleOf({ settings, realm }: State): void {
  twentyFourHours.value = settings.twenty_four_hour_time ?? null;
  serverLanguages.value = { account: settings.default_language, organization: realm.realm_default_language };
}

async function register(session: Session): Promise<void> {
  const snapshot = await session.call(
    "POST /register",
    {
      apply_markdown: true,
      client_gravatar: true,
      slim_presence: true,
      include_subscribers: "false",
      client_capabilities: capabilities,
    },
    { signal: AbortSignal.any([session.end.signal, AbortSignal.timeout(registrationTimeoutMs)]) },
  );
  if (currentSession !== session) return;
  const registered = stateOf(snapshot);
  const next = { ...registered, restarts: state.value?.restarts ?? 0 };
  applyLocaleOf(next);
  // Otherwise the page would be in another language for a moment.
  await languageLoaded();
  if (currentSession !== session) return;
  state.value = next;
  registrations.value++;
  connection.value = "live";
}

/** Resolves after a time, at once when `signal` is aborted, or when the browser is online again. */
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const wake = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", wake, { once: true });
    // Retries at once when the network is back, for example after the computer was suspended.
    addEventListener("online", wake, { once: true });
  });

/** Acknowledges at once by the WebSocket at which the page waits. */
let acknowledge: (() => void) | undefined;
/** Whether the page waits at a WebSocket. */
export const isAtSocket = (): boolean => acknowledge !== undefined;
/** Has the server answer by the WebSocket; false if the page does not wait at one. */
export function askAtSocket(): boolean {
  acknowledge?.();
  return isAtSocket();
}

/** Whether the organization has more presences than a message contains. */
let tooManyPresences = false;
export const areTooMany = (): boolean => tooManyPresences;

/** What an acknowledgement says of the user. Nobody looks at a hidden page, which asks for no presences. */
function presenceToReport() {
  const { presenceUpdateId } = currentState();
  const asks = !document.hidden && !tooManyPresences;
  return { presence: statusToReport(), ...(asks && { presence_last_update_id: presenceUpdateId }) };
}

function receivePresences(answer: PresenceAnswer) {
  if (answer.presences !== undefined) dispatch({ kind: "presences", answer, nowMs: Date.now() });
  else if (answer.presence_last_update_id !== undefined) tooManyPresences = true;
}

/** Waits for events until the session ends: at a WebSocket or, while none can be opened, by polls. */
async function waitForEvents(session: Session): Promise<void> {
  const { signal: endSignal } = session.end;
  const sockets = new SocketAttempts();
  let isNewQueue = false;
  for (let failures = 0; !endSignal.aborted; ) {
    try {
      if (sockets.isDue()) {
        await sockets.wait(session);
        if (sockets.isDue()) continue;
      }
      await poll(session, Math.min(pollTimeoutMs, sockets.dueInMs()));
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
        if (await attempt(() => register(session))) {
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
async function poll(session: Session, timeoutMs: number, { dont_block = false } = {}): Promise<number> {
  const { queueId, lastEventId } = currentState();
  const { events } = await session.call(
    "GET /events",
    { queue_id: queueId, last_event_id: lastEventId, ...(dont_block && { dont_block }) },
    { signal: AbortSignal.any([session.end.signal, AbortSignal.timeout(timeoutMs)]) },
  );
  connection.value = "live";
  if (currentSession === session) receive(events);
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
  async wait(session: Session): Promise<void> {
    const { signal } = session.end;
    const outcome = await this.#connect(session);
    if (outcome === "refused") {
      const delayMs = Math.min(maxRetryMs, minRetryMs * 2 ** this.#failures++);
      this.#dueAt = Date.now() + delayMs * (0.5 + Math.random() / 2);
      return;
    }
    this.#failures = 0;
    if (outcome === "lost" && !signal.aborted) await pause(Math.random() * maxReturnMs, signal);
  }

  async #connect(session: Session): Promise<"old" | "lost" | "refused"> {
    const { signal } = session.end;
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
            if (currentSession === session) receive(events);
          },
          sawThrough: (id) => {
            const current = state.peek();
            if (current && currentSession === session && current.lastEventId < id)
              state.value = { ...current, lastEventId: id };
          },
          fetchThrough: async (id) => {
            while (currentState().lastEventId < id && (await poll(session, pollTimeoutMs, { dont_block: true })) > 0);
          },
          presence: presenceToReport,
          receivePresences: (message) => {
            if (currentSession === session) receivePresences(message);
          },
          onLive: (ask) => {
            connection.value = "live";
            acknowledge = ask;
          },
        },
        signal,
      );
    } catch {
      // The poll that follows finds out what is wrong, and what to do.
      return "refused";
    } finally {
      acknowledge = undefined;
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

/** Applies events to the state and passes them to the listeners. */
function receive(batch: readonly ServerEvent[]): void {
  const before = state.value;
  if (!before || batch.length === 0) return;
  const events = batch.filter((event) => typeof event === "object" && event !== null);
  const after = applyEvents(before, events, openNarrows.value, Date.now(), firstOnScreen.value);
  applyLocaleOf(after);
  state.value = after;
  for (const listener of listeners)
    try {
      listener(events, before);
    } catch (error) {
      console.error("A listener of events failed:", error);
    }
  // Without a higher ID, the next request would return the same events at once, and so on.
  if (after.lastEventId === before.lastEventId) throw new Error("No event has an ID");
}

export const isOpen = (narrow: Narrow) => openNarrows.value.some((open) => narrowKey(open) === narrowKey(narrow));
