import { plain } from "../../shared/markdown/source/plain.ts";
import type { Input } from "../base/api/calls.ts";
import { ApiFailure, authorizationOf, type Credentials, isInvalidKeyError } from "../base/api/client.ts";
import { t } from "../base/languages/language.ts";
import type { ServerEvent } from "../state/events/handler.ts";
import {
  type Conversation,
  conversationKey,
  type Message,
  type PickedEmoji,
  type State,
  type Subscription,
  topicKey,
  type VisibilityPolicy,
} from "../state/model.ts";
import { type Narrow, narrowKey, termsOf } from "../state/narrow.ts";
import { list } from "../state/readers.ts";
import { fits, type Recipient } from "../state/recipient.ts";
import { messageOf } from "../state/records.ts";
import { afterRefusal, call, credentials, currentState, dispatch, onEvents, openNarrows, state } from "./session.ts";

/**
 * The user's actions, as API calls. Their effects arrive as events; before its event are shown a message being sent, and a setting
 * or a topic's policy that the server has accepted.
 */

interface Page {
  anchor: number | "newest" | "first_unread";
  before: number;
  after: number;
}

/** Fetches messages around an anchor and adds them to their list. */
export async function fetchMessages(narrow: Narrow, page: Page): Promise<number | undefined> {
  const { anchor, before, after } = page;
  const { reply, meanwhile } = await withEventsMeanwhile(() =>
    call("GET /messages", {
      anchor: String(anchor),
      num_before: before,
      num_after: after,
      narrow: termsOf(narrow),
      client_gravatar: true,
      apply_markdown: true,
      allow_empty_topic_name: true,
    }),
  );
  const messages = list(messageOf)(reply.messages);
  const marked = new Map(
    reply.messages.flatMap(({ id, content, match_content }) =>
      match_content === undefined ? [] : [[id, { content: match_content, from: content }] as const],
    ),
  );
  const foundNewest = after > 0 || anchor === "newest" ? reply.found_newest : false;
  const foundOldest = before > 0 ? reply.found_oldest : false;
  dispatch({
    kind: "fetched",
    narrow,
    messages,
    list: { ids: messages.map(({ id }) => id), foundOldest, foundNewest, ...(marked.size > 0 && { marked }) },
    meanwhile,
    open: openNarrows.peek(),
  });
  // Messages were moved into the narrow meanwhile. One that was left is fetched when it is opened again.
  const key = narrowKey(narrow);
  const isForgotten = state.peek()?.lists.has(key) === false;
  const isOpen = openNarrows.peek().some((open) => narrowKey(open) === key);
  return isForgotten && isOpen ? fetchMessages(narrow, page) : reply.anchor;
}

/** The reply to a request, and the events that arrived before it. */
async function withEventsMeanwhile<T>(request: () => Promise<T>): Promise<{ reply: T; meanwhile: ServerEvent[] }> {
  const meanwhile: ServerEvent[] = [];
  const stop = onEvents((events) => void meanwhile.push(...events));
  try {
    return { reply: await request(), meanwhile };
  } finally {
    stop();
  }
}

export const targetFields = (conversation: Conversation) =>
  conversation.kind === "topic"
    ? { type: "channel" as const, to: conversation.channelId, topic: conversation.topic }
    : { type: "direct" as const, to: conversation.userIds };

/** Throws if the server would cut the text of a message, or its topic: it does so without an error. */
export function checkFits(recipient: Recipient, text: string): void {
  if (!fits(currentState(), recipient, text)) throw new Error(t("The message is too long."));
}

export async function scheduleMessage(conversation: Conversation, content: string, deliverAtSeconds: number) {
  checkFits(conversation, content);
  await call("POST /scheduled_messages", {
    ...targetFields(conversation),
    content,
    scheduled_delivery_timestamp: deliverAtSeconds,
  });
}

export const setFlag = (ids: readonly number[], flag: "read" | "starred", op: "add" | "remove") =>
  call("POST /messages/flags", { messages: ids, flag, op });

/** Messages that the user has seen and that the next request marks as read. */
const pendingReadIds = new Set<number>();
const readDelayMs = 400;
const maxReadBatch = 1000;
let readTimer: ReturnType<typeof setTimeout> | undefined;

/** Marks messages as read in batches, shortly after they were seen. */
export function markRead(ids: Iterable<number>): void {
  for (const id of ids) pendingReadIds.add(id);
  if (pendingReadIds.size === 0 || readTimer !== undefined) return;
  readTimer = setTimeout(async () => {
    readTimer = undefined;
    const batch = [...pendingReadIds].slice(0, maxReadBatch);
    for (const id of batch) pendingReadIds.delete(id);
    await setFlag(batch, "read", "add").catch(() => {
      // A failure is ignored: the messages are marked when they are seen again.
    });
    if (pendingReadIds.size > 0) markRead([]);
  }, readDelayMs);
}

export function toggleReaction(message: Message, emoji: PickedEmoji): Promise<unknown> {
  const hasReacted = message.reactions.some(
    (reaction) =>
      reaction.user_id === currentState().userId &&
      reaction.emoji_code === emoji.emoji_code &&
      reaction.reaction_type === emoji.reaction_type,
  );
  const { emoji_name, emoji_code, reaction_type } = emoji;
  const params = { message_id: message.id, emoji_name, emoji_code, reaction_type };
  return hasReacted
    ? call("DELETE /messages/{message_id}/reactions", params)
    : call("POST /messages/{message_id}/reactions", params);
}

/** Adds to a poll or a to-do list, for example a vote. */
export const addToWidget = (messageId: number, content: object) =>
  call("POST /submessage", { message_id: messageId, msg_type: "widget", content: JSON.stringify(content) });

export async function editMessage(id: number, changes: Omit<Input<"PATCH /messages/{message_id}">, "message_id">) {
  checkFits({ kind: "unchosen" }, changes.content ?? "");
  return call("PATCH /messages/{message_id}", { message_id: id, ...changes });
}

export const deleteMessage = (id: number) => call("DELETE /messages/{message_id}", { message_id: id });

/** Fetches one message, which joins no list. */
export const fetchMessage = async (id: number): Promise<Message> =>
  messageOf((await call("GET /messages/{message_id}", { message_id: id, allow_empty_topic_name: true })).message);

/** Fetches the Markdown of a message. */
export const fetchMarkdown = async (id: number) =>
  (await call("GET /messages/{message_id}", { message_id: id, apply_markdown: false, allow_empty_topic_name: true }))
    .message.content;

export async function setTopicPolicy(channelId: number, topic: string, policy: VisibilityPolicy): Promise<void> {
  const known = () => state.peek()?.topicPolicies.get(topicKey(channelId, topic));
  const before = known();
  await call("POST /user_topics", { stream_id: channelId, topic, visibility_policy: policy });
  // Events may have told of this change already, and of later ones.
  if (known() === before) dispatch({ kind: "topic-policy", channelId, topic, policy });
}

export const setSubscriptionProperty = (channelId: number, property: keyof Subscription, value: boolean | string) =>
  call("POST /users/me/subscriptions/properties", { subscription_data: [{ stream_id: channelId, property, value }] });

export const subscribeTo = (name: string) => call("POST /users/me/subscriptions", { subscriptions: [{ name }] });

export const unsubscribeFrom = (name: string) => call("DELETE /users/me/subscriptions", { subscriptions: [name] });

export type SettingChanges = Input<"PATCH /settings">;
export async function changeSetting<N extends keyof SettingChanges & keyof State["settings"]>(
  name: N,
  value: SettingChanges[N],
): Promise<void> {
  const known = () => state.peek()?.settings[name];
  const before = known();
  await call("PATCH /settings", { [name]: value });
  // Events may have told of this change already, and of later ones.
  if (known() === before) dispatch({ kind: "setting", name, value });
}

/** Larger files go to the bucket. Below the server's limit for files in a request (`maxLambdaFileBytes`). */
const maxBytesInRequest = 4 * 1024 * 1024;

/**
 * Uploads a file and returns Markdown that links to it; large files go directly to the bucket by a presigned link.
 * `onProgress` gets the uploaded fraction, 0 to 1.
 */
export async function uploadFile(
  file: File,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const name = plain(file.name) || "file";
  if (file.size <= maxBytesInRequest) {
    const form = new FormData();
    form.set("file", file, file.name);
    const { url } = await post<{ url: string }>("/api/v1/user_uploads", form, onProgress, signal);
    return `[${name}](${url})`;
  }
  const offer = await call("POST /user_uploads/presigned", { filename: file.name, size: file.size });
  await transfer("PUT", offer.upload_url, offer.upload_headers, file, onProgress, signal);
  const { url } = await call("POST /user_uploads/presigned/complete", { upload_id: offer.upload_id });
  return `[${name}](${url})`;
}

/** Sends a request and reports its progress. Uses XMLHttpRequest, because `fetch` does not report upload progress. */
function transfer<T>(
  method: "POST" | "PUT",
  url: string,
  headers: Record<string, string>,
  body: XMLHttpRequestBodyInit,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const reply = JSON.parse(request.responseText || "{}");
      if (request.status < 300) resolve(reply);
      else reject(new ApiFailure(reply.code ?? "UNKNOWN", reply.msg ?? t("The upload failed."), request.status));
    };
    request.onerror = () => reject(new ApiFailure("NETWORK", t("The upload was interrupted.")));
    request.onabort = () => reject(new DOMException("Cancelled", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}

async function post<T>(path: string, form: FormData, onProgress: (fraction: number) => void, signal: AbortSignal) {
  const usedCredentials = credentials();
  const headersFor = (sender: Credentials | undefined) =>
    sender ? { authorization: authorizationOf(sender) } : ({} as Record<string, string>);
  try {
    return await transfer<T>("POST", path, headersFor(usedCredentials), form, onProgress, signal);
  } catch (error) {
    const replacement =
      usedCredentials && isInvalidKeyError(error) ? await afterRefusal(error, usedCredentials) : undefined;
    if (!replacement) throw error;
    return transfer<T>("POST", path, headersFor(replacement), form, onProgress, signal);
  }
}

/** When the last notification that the user is typing was sent, in UNIX milliseconds, by `conversationKey`. */
const typingSentAtMs = new Map<string, number>();

/** Sends a typing notification, unless one was sent within the interval that the server specifies. */
export function sendTyping(conversation: Conversation, op: "start" | "stop"): void {
  const { realm, settings } = currentState();
  const isDirect = conversation.kind === "direct";
  if (!settings[isDirect ? "send_private_typing_notifications" : "send_stream_typing_notifications"]) return;
  const key = conversationKey(conversation);
  const intervalMs = Number(realm.server_typing_started_wait_period_milliseconds ?? 30_000);
  const lastSentMs = typingSentAtMs.get(key) ?? 0;
  if (op === "start" ? Date.now() - lastSentMs < intervalMs : lastSentMs === 0) return;
  if (op === "start") typingSentAtMs.set(key, Date.now());
  else typingSentAtMs.delete(key);
  const target: Input<"POST /typing"> =
    conversation.kind === "direct"
      ? { type: "direct", op, to: conversation.userIds }
      : { type: "channel", op, stream_id: conversation.channelId, topic: conversation.topic };
  // A lost typing notification does no harm.
  call("POST /typing", target).catch(() => {});
}
