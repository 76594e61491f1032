import { putFile } from "../files/bucket.ts";
import { takeIds } from "../store/counters.ts";
import { createEmoji, deactivateEmoji, listEmoji, type OrganizationEmoji } from "../store/emoji.ts";
import { cancelRemoval, createRemoval } from "../store/file-removals.ts";
import { commit } from "../store/log.ts";
import { ConditionFailed, transact } from "../store/transactions.ts";
import type { Write } from "../store/writes.ts";
import type { Picture } from "./pictures.ts";
import { emojiFile } from "./urls.ts";
import { wireEmojiMap } from "./wire.ts";

/** Milliseconds after which a picture that no emoji has is removed. */
const abandonedAfter = 3_600_000;

/**
 * Keeps a new emoji; false when the name was taken meanwhile. Its files come first, and before them notes to remove
 * them: whoever dies on the way leaves nothing for ever.
 */
export async function addEmoji(
  authorId: number | null,
  name: string,
  { picture, still }: { picture: Picture; still: Picture | undefined },
): Promise<boolean> {
  const files = still ? [picture, still] : [picture];
  const dueAt = Date.now() + abandonedAfter;
  const removals = files.map(({ name: file }) => ({ file: emojiFile(file), dueAt }));
  await transact(removals.map(createRemoval));
  await Promise.all(files.map((file) => putFile(emojiFile(file.name), file.content, file.contentType)));
  const [id, others] = await Promise.all([takeIds("emoji"), listEmoji()]);
  const emoji: OrganizationEmoji = {
    id,
    name,
    path: picture.name,
    ...(still && { stillPath: still.name }),
    authorId,
    deactivated: false,
  };
  return written([...createEmoji(emoji), ...removals.map(cancelRemoval)], [...others, emoji]);
}

/** Retires an emoji: reactions and texts that show it stay. False when it was retired meanwhile. */
export async function retireEmoji(emoji: OrganizationEmoji): Promise<boolean> {
  const all = await listEmoji();
  const after = all.map((one) => (one.id === emoji.id ? { ...one, deactivated: true } : one));
  return written(deactivateEmoji(emoji), after);
}

async function written(writes: Write[], after: readonly OrganizationEmoji[]): Promise<boolean> {
  const event = { type: "realm_emoji", op: "update", realm_emoji: wireEmojiMap(after) };
  try {
    return await commit({ events: 1 }, () => ({
      writes,
      events: [{ audience: { kind: "everyone" }, event }],
      result: true,
    }));
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
