import { t } from "../../base/languages/language.ts";
import { type Recipient, recipientKey } from "../../state/recipient.ts";
import { onSession, sessionSignal } from "../session.ts";
import { slice } from "../store.ts";
import { toast } from "../toasts.ts";
import {
  type AccountKey,
  accountKey,
  hasRefused,
  onOtherWindow,
  readRecord,
  recordIds,
  rememberAccount,
  writeRecord,
} from "./storage.ts";

/**
 * The messages that the user has begun to write or has sent and that the server has not confirmed yet. Each change is written to
 * this browser's storage at once.
 */

export interface UnsentMessage {
  /** Also its local ID once it is sent. */
  id: string;
  recipient: Recipient;
  text: string;
  /** UNIX milliseconds. */
  changedAt: number;
  /** The channel in whose view the message was begun, if the user chose the topic there. */
  begunInChannel?: number | undefined;
  /** Its draft on the server. */
  draft?: SavedDraft | undefined;
  /** The time for which the server was asked to schedule the message, in UNIX seconds: its reply may have been lost. */
  scheduledFor?: number | undefined;
  /** Set once the user has sent the message. */
  sending?: Sending | undefined;
}

export interface SavedDraft {
  /** Unknown until the server has replied, and after the draft was deleted elsewhere. */
  id?: number | undefined;
  /** What was saved, as `draftContent` returns it. */
  content: string;
  /** When the server was asked to create the draft, in UNIX milliseconds, until it has replied. */
  requestedAt?: number | undefined;
}

export interface Sending {
  /** The event queue of the first attempt. With the local ID it lets the server recognize a repeated request. */
  queueId: string;
  /** The time of the first attempt in UNIX milliseconds. */
  sentAt: number;
  /** Why the message is not sent without the user's decision. */
  failure?: string | undefined;
}

/** The messages that are being written, by ID. */
export const writing = sessionSignal<ReadonlyMap<string, UnsentMessage>>(new Map());
/** The messages that the user has sent, the oldest first. */
export const outgoing = sessionSignal<readonly UnsentMessage[]>([]);
/** The account whose messages these are, once they were read. */
export const account = sessionSignal<AccountKey | undefined>(undefined);

/** IDs that are unique across the windows and sessions of an account. */
export const newId = () =>
  `${Date.now().toString(36)}-${[...crypto.getRandomValues(new Uint32Array(2))].map((part) => part.toString(36)).join("")}`;

export const findUnsent = (id: string): UnsentMessage | undefined =>
  writing.peek().get(id) ?? outgoing.peek().find((message) => message.id === id);

/** What the draft of a message contains: a key that changes with the recipient and the text. */
export const draftContent = ({ recipient, text }: Pick<UnsentMessage, "recipient" | "text">) =>
  `${recipientKey(recipient)}\n${text.trim()}`;

const recordPrefix = "message:";

/** Adds or replaces a message. */
export function putUnsent(message: UnsentMessage): void {
  setInMemory(message.id, message);
  // An empty message is kept only as long as its draft is on the server.
  const isEmpty = message.text.trim() === "" && !message.draft;
  store(message.id, isEmpty ? undefined : message);
}

export function removeUnsent(id: string): void {
  setInMemory(id, undefined);
  store(id, undefined);
}

/** Forgets the messages of an account that has signed out, and stores no more of them. */
export function forgetUnsent(): void {
  account.value = undefined;
  writing.value = new Map();
  outgoing.value = [];
}

function setInMemory(id: string, message: UnsentMessage | undefined): void {
  if (message && !message.sending) writing.value = new Map(writing.peek()).set(id, message);
  else if (writing.peek().has(id)) {
    const others = new Map(writing.peek());
    others.delete(id);
    writing.value = others;
  }
  if (message?.sending || outgoing.peek().some((other) => other.id === id)) {
    const others = outgoing.peek().filter((other) => other.id !== id);
    outgoing.value = message?.sending ? [...others, message].sort(bySendingTime) : others;
  }
}

const bySendingTime = (a: UnsentMessage, b: UnsentMessage) =>
  (a.sending?.sentAt ?? 0) - (b.sending?.sentAt ?? 0) || (a.id < b.id ? -1 : 1);

function store(id: string, message: UnsentMessage | undefined): void {
  const current = account.peek();
  if (current === undefined) return;
  const hadRefused = hasRefused();
  if (!writeRecord(current, recordPrefix + id, message) && !hadRefused)
    toast(t("This browser cannot store what you write. It is lost when you close or reload the page."));
}

/** Reads a message again, because another window may have changed it. Returns it, or undefined if it is gone. */
export function refreshUnsent(id: string): UnsentMessage | undefined {
  const current = account.peek();
  if (current === undefined) return findUnsent(id);
  const known = findUnsent(id);
  const stored = parse(readRecord(current, recordPrefix + id));
  // An empty message is only in memory.
  if (stored || known?.text.trim()) setInMemory(id, stored);
  return findUnsent(id);
}

/** Checks a record, which another version of this page may have written. */
function parse(record: unknown): UnsentMessage | undefined {
  const message = record as UnsentMessage | undefined;
  const isValid =
    typeof message?.id === "string" &&
    typeof message.text === "string" &&
    typeof message.changedAt === "number" &&
    ["topic", "direct", "unchosen"].includes(message.recipient?.kind);
  return isValid ? message : undefined;
}

/** The messages that this browser keeps for an account. */
export const storedMessages = (of: AccountKey): UnsentMessage[] =>
  recordIds(of).flatMap((id) => (id.startsWith(recordPrefix) ? (parse(readRecord(of, id)) ?? []) : []));

export const signedInAccount = slice(({ realm, userId }) => accountKey(String(realm.realm_url), userId));

// Loads the messages when an account signs in, before anything shows them.
onSession((session) =>
  session.effect(() => {
    const signedIn = signedInAccount.value;
    if (signedIn === undefined || signedIn === account.peek()) return;
    const stored = storedMessages(signedIn);
    writing.value = new Map(stored.filter(({ sending }) => !sending).map((message) => [message.id, message]));
    outgoing.value = stored.filter(({ sending }) => sending).sort(bySendingTime);
    account.value = signedIn;
    rememberAccount(signedIn);
  }),
);

onSession(({ end }) => {
  onOtherWindow(
    () => account.peek(),
    (id) => {
      if (id.startsWith(recordPrefix)) refreshUnsent(id.slice(recordPrefix.length));
    },
    end,
  );
  // A window that was suspended may have missed changes of others.
  const refreshAll = () => {
    if (document.visibilityState === "visible")
      for (const { id } of [...writing.peek().values(), ...outgoing.peek()]) refreshUnsent(id);
  };
  document.addEventListener("visibilitychange", refreshAll, { signal: end });
});
addEventListener("beforeunload", (event) => {
  if (hasRefused()) event.preventDefault();
});
