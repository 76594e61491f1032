import { secondsPerDay } from "../../base/time.ts";
import { padded } from "../table/keys.ts";
import { getItem, getItems, queryItems, queryPages } from "../table/reads.ts";
import { deleteItem } from "../table/single-writes.ts";
import { transact } from "../table/transactions.ts";
import { create, remove, type Update, update, type Write } from "../table/writes.ts";

/** An uploaded file. */
export interface Upload {
  id: number;
  ownerId: number;
  /** "1/4f/<random>/<name>": the file's URL is `/user_uploads/<pathId>`. */
  pathId: string;
  /** The name that its owner gave it. */
  name: string;
  /** Bytes. */
  size: number;
  /** Detected from the content. */
  contentType: string;
  /** The size in pixels; only of pictures in formats whose size is detected. */
  width?: number;
  height?: number;
  /** UNIX milliseconds. */
  createdAt: number;
  /** The number of messages that link to it. */
  claims: number;
  /** Only of a picture: the name of its preview; empty when none can be made, absent when none was made yet. */
  preview?: string;
  /** Only of an animated picture: the name of its animated preview. */
  movingPreview?: string;
}

/** A message's link to a file. Everyone who may read the message may read the file. */
export interface Claim {
  messageId: number;
  /** UNIX seconds. */
  sentAt: number;
}

const partition = (pathId: string) => `UPLOAD#${pathId}`;
const key = (pathId: string) => ({ pk: partition(pathId), sk: "UPLOAD" });
const claimKey = (pathId: string, messageId: number) => ({ pk: partition(pathId), sk: `CLAIM#${padded(messageId)}` });
/** Contains an owner's files by ID, each followed by its claims. */
const ownerPartition = (ownerId: number) => `UPLOADS#${ownerId}`;
/** Files that no message links to are indexed by age, for the sweep. */
const unclaimedKeys = (since: number) => ({ gsi3pk: "UNCLAIMED", gsi3sk: padded(since) });

export const findUpload = (pathId: string) => getItem<Upload>(key(pathId));

/** In the order of `pathIds`, undefined where there is none. 1 read unit each. */
export const findUploads = (pathIds: readonly string[]) => getItems<Upload>(pathIds.map(key));

/** One of a user's files by its ID; 1.5 read units. */
export async function findUploadOf(ownerId: number, id: number): Promise<Upload | undefined> {
  const range = { from: padded(id), to: padded(id) };
  const [listed] = await queryItems<Upload>({ index: "gsi1", pk: ownerPartition(ownerId), ...range });
  return listed && findUpload(listed.pathId);
}

/** All files of a user by ID, with the messages that link to them; 0.5 read units for about 20 items. */
export async function listUploads(ownerId: number): Promise<{ upload: Upload; claims: Claim[] }[]> {
  const items = await queryItems<Upload & Claim & { gsi1sk: string }>({ index: "gsi1", pk: ownerPartition(ownerId) });
  const found = new Map<string, { upload: Upload; claims: Claim[] }>();
  for (const item of items) {
    const [id = ""] = item.gsi1sk.split("#");
    if (item.pathId !== undefined) found.set(id, { upload: item, claims: [] });
    // The claim of a file that is being removed may outlive the file for a moment.
    else found.get(id)?.claims.push(item);
  }
  return [...found.values()];
}

/** The messages with IDs below `before` that link to a file, newest first, at most `limit`. */
export const listClaims = (pathId: string, limit: number, before = Number.MAX_SAFE_INTEGER) =>
  queryItems<Claim>({
    pk: partition(pathId),
    from: claimKey(pathId, 0).sk,
    to: claimKey(pathId, before - 1).sk,
    descending: true,
    limit,
  });

/** Creates a file that no message links to yet; the sweep deletes it four weeks after `unclaimedSince`. */
export const createUpload = (upload: Upload, unclaimedSince = upload.createdAt): Write =>
  create({
    ...key(upload.pathId),
    ...unclaimedKeys(unclaimedSince),
    gsi1pk: ownerPartition(upload.ownerId),
    gsi1sk: padded(upload.id),
    ...upload,
  });

/** Records that a message links to a file; fails when the file is gone, or when the claim exists. */
export const createClaim = ({ pathId, ownerId, id }: Upload, claim: Claim): Write[] => [
  update(key(pathId), { add: { claims: 1 }, remove: ["gsi3pk", "gsi3sk"] }, { exists: true }),
  create({
    ...claimKey(pathId, claim.messageId),
    gsi1pk: ownerPartition(ownerId),
    gsi1sk: `${padded(id)}#${padded(claim.messageId)}`,
    ...claim,
  }),
];

/** Deletes a message's claim; fails when the file's number of claims has changed since it was read. */
export const deleteClaim = ({ pathId, claims }: Upload, messageId: number, now: number): Write[] => [
  update(key(pathId), withClaims(claims - 1, now), { equals: { claims } }),
  remove(claimKey(pathId, messageId), { exists: true }),
];

const withClaims = (claims: number, now: number): Update =>
  claims > 0 ? { set: { claims } } : { set: { claims, ...unclaimedKeys(now) } };

/** Sets the previews of a picture; fails when it has some already or is gone. */
export const setPreviews = (
  pathId: string,
  previews: Required<Pick<Upload, "preview">> & Pick<Upload, "movingPreview">,
) => update(key(pathId), { set: previews }, { exists: true, equals: { preview: undefined } });

/** Deletes a file's record; fails when its claims or previews have changed since it was read. `deleteClaims` must follow. */
export const deleteUpload = ({ pathId, claims, preview }: Upload): Write =>
  remove(key(pathId), { exists: true, equals: { claims, preview } });

export async function deleteClaims(pathId: string): Promise<void> {
  for await (const page of queryPages<Claim>({ pk: partition(pathId), prefix: "CLAIM#" }))
    await Promise.all(page.map(({ messageId }) => deleteItem(claimKey(pathId, messageId))));
}

/** Makes the sweep treat a file that no message links to as if it had been uploaded at `since` (UNIX milliseconds). */
export async function setUnclaimedSince(pathId: string, since: number): Promise<void> {
  await transact([update(key(pathId), { set: unclaimedKeys(since) }, { equals: { claims: 0 } })]);
}

/** Like `setUnclaimedSince`, but fails when the file is kept longer already. */
export async function extendUnclaimed(pathId: string, since: number): Promise<void> {
  const { gsi3sk } = unclaimedKeys(since);
  await transact([update(key(pathId), { set: unclaimedKeys(since) }, { equals: { claims: 0 }, below: { gsi3sk } })]);
}

/** Paths of files that no message has linked to since `before` (UNIX milliseconds), at most `limit`. */
export async function listUnclaimed(before: number, limit: number): Promise<string[]> {
  const items = await queryItems<{ pk: string }>({ index: "gsi3", pk: "UNCLAIMED", to: padded(before), limit });
  return items.map(({ pk }) => pk.slice(partition("").length));
}

/** A direct upload to the bucket that the client has started but not yet confirmed. */
export interface PendingUpload extends Pick<Upload, "id" | "ownerId" | "pathId" | "name" | "size"> {
  /** UNIX milliseconds at which the upload link expires. */
  linkEndsAt: number;
  /** UNIX milliseconds at which the content is removed unless the client has confirmed the upload. */
  removeAt: number;
}

const pendingKey = (pathId: string) => ({ pk: partition(pathId), sk: "PENDING" });

export const findPendingUpload = (pathId: string) => getItem<PendingUpload>(pendingKey(pathId));

export const createPendingUpload = (pending: PendingUpload): Write =>
  create({
    ...pendingKey(pending.pathId),
    ...pending,
    expiresAt: Math.floor(pending.removeAt / 1000) + secondsPerDay,
  });

export const deletePendingUpload = ({ pathId }: PendingUpload): Write => remove(pendingKey(pathId), { exists: true });

const usageKey = { pk: "FILES", sk: "USAGE" };

/** The total bytes of all files; 1 read unit. */
export const getSpaceUsedBytes = async (): Promise<number> => (await getItem<{ bytes: number }>(usageKey))?.bytes ?? 0;

/** Adds `bytes` (which may be negative) to the total; fails its transaction when that would exceed `maxBytes`. */
export const addSpaceUsed = (bytes: number, maxBytes?: number): Write =>
  update(usageKey, { add: { bytes } }, maxBytes === undefined ? undefined : { below: { bytes: maxBytes - bytes + 1 } });
