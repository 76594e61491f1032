import { signal } from "@preact/signals";
import { type ApiFailure, type Credentials, connect } from "../base/api/client.ts";
import { t } from "../base/languages/language.ts";
import { forgetCredentials, rememberCredentials, rememberedCredentials } from "./credentials.ts";
import { connection, register, waitForEvents } from "./events.ts";
import { retryOnceReachable } from "./retry.ts";
import { beginSession, currentSession, leaveSession, perSession, Session } from "./session.ts";
import { state } from "./store.ts";

/** How a session begins and ends. */

/** Whether the user is signing out, after which the page reloads. */
export const signingOut = signal(false);
/** The session that the server ended, for example by a new password or a deactivation, until somebody signs in. */
export const endedSession = signal<{ reason: string; email: string } | undefined>(undefined);

const fileSessionTimeoutMs = 20_000;

/**
 * Starts a session, which ends when `endSignal` is aborted, and remembers its credentials: for an API key, the key of this
 * browser that the server gives in its place. Throws ApiFailure if the server refuses the credentials or cannot be
 * reached.
 */
export async function start(given: Credentials, endSignal?: AbortSignal): Promise<void> {
  const { credentials, endsAt } = await openFileSession(given, endSignal);
  const session = new Session();
  endSignal?.addEventListener("abort", () => leaveSession(session), { signal: session.end });
  rememberCredentials(credentials);
  useKey(session, credentials, endsAt);
  const before = connection.peek();
  beginSession(session);
  // An attempt that follows another one is a reconnection still.
  if (before === "reconnecting") connection.value = before;
  await follow(session);
  endedSession.value = undefined;
}

/** Has the browser fetch pictures and files itself, with a cookie that is only valid for them. */
async function openFileSession(given: Credentials, end?: AbortSignal) {
  const timeout = AbortSignal.timeout(fileSessionTimeoutMs);
  const { session_key: apiKey = given.apiKey, session_ends_at: endsAt } = await connect(given)(
    "POST /users/me/file_session",
    {},
    { signal: end ? AbortSignal.any([end, timeout]) : timeout },
  );
  return { credentials: { email: given.email, apiKey }, endsAt };
}

const useKey = (session: Session, credentials: Credentials, endsAt: number | undefined) =>
  session.signIn(credentials, endsAt, (refusal, refused) => endRefused(session, refusal, refused));

const waiting = perSession(() => ({ end: new AbortController() }));

/** Registers an event queue and waits for its events, in place of an earlier one. */
async function follow(session: Session): Promise<void> {
  waiting().end.abort();
  const controller = new AbortController();
  waiting().end = controller;
  const end = AbortSignal.any([session.end, controller.signal]);
  try {
    await register(session, end);
  } finally {
    // If this fails while a key is replaced, the former event queue still has the events of the state.
    if (currentSession() === session && state.peek()) void waitForEvents(session, end);
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
  if (currentSession() !== session) return undefined;
  const replacement = await replacementOf(refused);
  if (currentSession() !== session) return undefined;
  if (replacement) {
    session.credentials = replacement;
    return replacement;
  }
  if (rememberedCredentials()?.apiKey === refused.apiKey) forgetCredentials();
  leaveSession(session);
  // That a key is invalid says nothing to people; that an account or organization was deactivated does.
  const detail = refusal.message === "Invalid API key" ? "" : ` ${refusal.message}.`;
  endedSession.value = { reason: `${t("Your session has ended.")}${detail}`, email: refused.email };
  return undefined;
}

/** Handles a refused key as the typed client does (`endRefused`), for requests that are sent without it. */
export const afterRefusal = async (refusal: ApiFailure, refused: Credentials) =>
  currentSession().credentials && endRefused(currentSession(), refusal, refused);

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

/** Ends the session and deletes its event queue on the server; of the browser's last window also the cookie for files. */
export async function endSession({ isLast = true } = {}): Promise<void> {
  const session = currentSession();
  if (!session.credentials) return;
  // The session's own calls end with it.
  const call = connect(session.credentials);
  const queueId = state.peek()?.queueId;
  leaveSession(session);
  await Promise.allSettled([
    ...(isLast ? [call("DELETE /users/me/file_session")] : []),
    ...(queueId ? [call("DELETE /events", { queue_id: queueId })] : []),
  ]);
}
