import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest, notFound } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import {
  int,
  list,
  maxTimestamp,
  number,
  object,
  oneOf,
  optional,
  strictObject,
  string,
  text,
  type Value,
} from "../../base/schema/params.ts";
import { checkCharacters, checkContent, truncate } from "../../base/schema/text.ts";
import { effectiveUserSettings } from "../../base/schema/user-settings.ts";
import { isContentReadable } from "../../core/channels/content-permissions.ts";
import { leadingItems } from "../../services/http/reply-size.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { findNamedUsers } from "../../services/identity/named.ts";
import { findChannel } from "../../store/channels/channels.ts";
import { findSubscription } from "../../store/channels/subscriptions.ts";
import { eventForUser } from "../../store/log/entry.ts";
import type { Change } from "../../store/log/log.ts";
import { takeIds } from "../../store/table/counters.ts";
import {
  createDraft,
  type Draft,
  deleteDraft,
  draftTypes,
  findDraft,
  listDrafts,
  replaceDraft,
} from "../../store/users/drafts.ts";
import { findUserSettings } from "../../store/users/user-settings.ts";

/** A draft as clients send it. */
export const draftParam = () =>
  object({
    type: oneOf(draftTypes),
    to: list(int(), { max: 200 }),
    topic: text(),
    content: text(),
    timestamp: optional(number({ max: maxTimestamp })),
  });
type SentDraft = Value<ReturnType<typeof draftParam>>;

/** The draft object; see https://zulip.com/api/get-drafts. */
export const draftObject = strictObject({
  id: int(),
  type: oneOf(draftTypes),
  to: list(int()),
  topic: string(),
  content: text(),
  timestamp: int(),
});

const toDraftWire = ({ id, type, to, topic, content, timestamp }: Draft): Value<typeof draftObject> => ({
  id,
  type,
  to,
  topic,
  content,
  timestamp,
});

const maxDraftsInState = 1000;

/** The caller's drafts, the most recently edited first, as many as fit into a reply. */
export async function newestDrafts(caller: Caller) {
  const drafts = (await listDrafts(caller.id)).sort((a, b) => b.timestamp - a.timestamp || b.id - a.id);
  return leadingItems(drafts.map(toDraftWire));
}

/** The initial state of drafts: only the newest. */
export const draftsState = async (caller: Caller) => ({
  drafts: (await newestDrafts(caller)).slice(0, maxDraftsInState),
});

/** Refuses users who have disabled the synchronization of drafts. */
export async function checkDraftsEnabled(caller: Caller): Promise<void> {
  const settings = effectiveUserSettings((await findUserSettings(caller.id)) ?? {});
  if (!settings.enable_drafts_synchronization) throw badRequest("User has disabled synchronizing drafts.");
}

/** Returns a draft of the caller. Unknown drafts and those of other users give the same 404. */
async function accessDraft(caller: Caller, id: number): Promise<Draft> {
  const draft = await findDraft(caller.id, id);
  if (!draft) throw noSuchDraft();
  return draft;
}

const noSuchDraft = () => notFound("Draft does not exist");

/** Checks a draft and returns its stored form. Its recipients must exist; its content is truncated like that of a message. */
export async function checkDraft(caller: Caller, sent: SentDraft): Promise<Omit<Draft, "id" | "userId">> {
  const { type, to } = sent;
  const content = checkContent(sent.content);
  const timestamp = Math.floor(sent.timestamp ?? Date.now() / 1000);
  if (timestamp < 0) throw badRequest("Timestamp must not be negative.");
  if (type === "private") await checkRecipients(caller, to);
  if (type === "stream") await checkChannel(caller, to);
  return {
    type,
    to: type === "" ? [] : to,
    topic: type === "stream" ? checkTopicText(sent.topic) : "",
    content,
    timestamp,
  };
}

function checkTopicText(text: string): string {
  const topic = text.trim();
  checkCharacters(topic, "topic");
  return truncate(topic, limits.topicLength, "...");
}

async function checkChannel(caller: Caller, to: readonly number[]) {
  const [id] = to;
  if (id === undefined || to.length > 1) throw badRequest("Must specify exactly 1 channel ID for channel messages");
  const [channel, subscription] = await Promise.all([findChannel(id), findSubscription(caller.id, id)]);
  if (!channel || !(await isContentReadable(caller, channel, subscription))) throw badRequest("Invalid channel ID");
}

async function checkRecipients(caller: Caller, to: readonly number[]) {
  const users = await findNamedUsers(caller, to);
  const missing = to.find((_, index) => !users[index]);
  if (missing !== undefined) throw badRequest(`Invalid user ID ${missing}`);
}

type NewDraft = Omit<Draft, "id" | "userId">;

/** The maximum size of the drafts in one event, because an event is an item of at most 400 KB. */
const maxEventBytes = 250_000;
/** An upper bound for the fields of a draft other than its content. */
const otherFieldsBytes = 1000;

/**
 * Creates up to 40 drafts, all or none, with IDs in the given order. Refuses more than a person may have, which
 * requests at once may exceed by what they create. Reads the existing drafts: 0.5 read units for each 4 KB.
 */
export async function addDrafts(
  userId: number,
  newDrafts: readonly NewDraft[],
): Promise<{ ids: number[]; change: Change | undefined }> {
  if (newDrafts.length === 0) return { ids: [], change: undefined };
  const [existing, firstId] = await Promise.all([listDrafts(userId), takeIds("draft", newDrafts.length)]);
  if (existing.length + newDrafts.length > creationLimits.draft.max) throw badRequest(tooMany("draft"));
  const drafts = newDrafts.map((draft, index): Draft => ({ ...draft, id: firstId + index, userId }));
  const events = groupForEvents(drafts).map((group) =>
    eventForUser(userId, { type: "drafts", op: "add", drafts: group.map(toDraftWire) }),
  );
  return { ids: drafts.map(({ id }) => id), change: { writes: drafts.map(createDraft), events } };
}

function groupForEvents(drafts: readonly Draft[]): Draft[][] {
  const groups: Draft[][] = [];
  let remainingBytes = 0;
  for (const draft of drafts) {
    const bytes = Buffer.byteLength(draft.content) + otherFieldsBytes;
    if (bytes > remainingBytes) {
      groups.push([]);
      remainingBytes = maxEventBytes;
    }
    groups.at(-1)?.push(draft);
    remainingBytes -= bytes;
  }
  return groups;
}

/**
 * Replaces one of the caller's drafts; the last of simultaneous edits wins, and its event is the last. Refused with a 404 if there is no
 * such draft. Conflicts if the draft has changed meanwhile.
 */
export async function editDraft(caller: Caller, id: number, sent: SentDraft): Promise<Change> {
  const before = await accessDraft(caller, id);
  const after = { ...(await checkDraft(caller, sent)), id, userId: caller.id };
  return {
    writes: [replaceDraft(before, after)],
    events: [eventForUser(caller.id, { type: "drafts", op: "update", draft: toDraftWire(after) })],
  };
}

/** Deletes a draft. Refused with a 404 if the draft does not exist. */
export const removeDraft = (userId: number, id: number): Change => ({
  writes: [deleteDraft({ userId, id })],
  events: [eventForUser(userId, { type: "drafts", op: "remove", draft_id: id })],
  refusal: noSuchDraft,
});
