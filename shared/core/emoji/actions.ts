import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest } from "../../base/errors.ts";
import { putFile } from "../../services/blobs/bucket.ts";
import { outboxJob } from "../../services/jobs/outbox.ts";
import { eventForEveryone } from "../../store/log/entry.ts";
import { type Change, commit } from "../../store/log/log.ts";
import { createEmoji, deactivateEmoji, listEmoji, type OrganizationEmoji } from "../../store/organization/emoji.ts";
import { cancelRemoval, createRemoval } from "../../store/organization/file-removals.ts";
import { takeIds } from "../../store/table/counters.ts";
import { transact } from "../../store/table/transactions.ts";
import { shrinkEmojiJob } from "./jobs.ts";
import { nameTaken, noSuchEmoji } from "./manage.ts";
import type { Picture } from "./pictures.ts";
import { emojiFile } from "./urls.ts";
import { toEmojiMapWire } from "./wire.ts";

/** An image that no emoji refers to after this time is deleted. */
const abandonedAfterMs = 3_600_000;

/**
 * Stores a new emoji, unless its name was taken meanwhile; a job shrinks large images. Removal records come first, then the files, then the emoji, so
 * that a crash leaves no orphaned files.
 */
export async function addEmoji(
  authorId: number | null,
  name: string,
  { picture, still }: { picture: Picture; still: Picture | undefined },
): Promise<void> {
  // Emoji are deactivated and never deleted, and their IDs are consecutive.
  const id = await takeIds("emoji");
  if (id > creationLimits.emoji.max) throw badRequest(tooMany("emoji"));
  const files = still ? [picture, still] : [picture];
  const dueAt = Date.now() + abandonedAfterMs;
  const removals = files.map(({ name: file }) => ({ file: emojiFile(file), dueAt }));
  await transact(removals.map(createRemoval));
  await Promise.all(files.map((file) => putFile(emojiFile(file.name), file.content, file.contentType)));
  const otherEmoji = await listEmoji();
  const emoji: OrganizationEmoji = {
    id,
    name,
    path: picture.name,
    ...(still && { stillPath: still.name }),
    authorId,
    deactivated: false,
  };
  await commit({
    writes: [...createEmoji(emoji), ...removals.map(cancelRemoval)],
    events: [emojiEvent([...otherEmoji, emoji])],
    followUps: [outboxJob(shrinkEmojiJob, { files: files.map((file) => file.name) })],
    refusal: nameTaken,
  });
}

/** Deactivates an emoji; existing reactions and messages keep showing it. */
export async function deactivateOrganizationEmoji(emoji: OrganizationEmoji): Promise<Change> {
  const allEmoji = await listEmoji();
  const after = allEmoji.map((one) => (one.id === emoji.id ? { ...one, deactivated: true } : one));
  return { writes: deactivateEmoji(emoji), events: [emojiEvent(after)], refusal: () => noSuchEmoji(emoji.name) };
}

const emojiEvent = (after: readonly OrganizationEmoji[]) =>
  eventForEveryone({ type: "realm_emoji", op: "update", realm_emoji: toEmojiMapWire(after) });
