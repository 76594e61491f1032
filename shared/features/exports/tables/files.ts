import { realmId } from "../../../base/limits.ts";
import { roles } from "../../../base/schema/roles.ts";
import { emojiFile } from "../../../core/emoji/urls.ts";
import { linkedPathIds } from "../../../messaging/uploads/link-metadata.ts";
import { getFile } from "../../../services/blobs/bucket.ts";
import { uploadFileKey } from "../../../services/blobs/names.ts";
import { pictureFileKey } from "../../../services/pictures/urls.ts";
import { listEmoji } from "../../../store/organization/emoji.ts";
import { listUploads } from "../../../store/organization/uploads.ts";
import { type Context, oncePerStep } from "../context.ts";
import type { ArchiveEntry, Phase } from "../page.ts";
import { exportedMessages } from "./messages.ts";
import { userIdOf } from "./references.ts";

/** The maximum bytes of files in memory; larger files are copied in pieces. */
const maxBytesInMemory = 4 * 1024 * 1024;

const loadExported = oncePerStep(exportedMessages);
/** The files of the owner whose files were read last: they may be in many pages. */
const uploadsOfLast = oncePerStep(() => new Map<number, ReturnType<typeof listUploads>>());

function uploadsOf(ownerId: number, context: Context): ReturnType<typeof listUploads> {
  const last = uploadsOfLast(context);
  const uploads = last.get(ownerId) ?? listUploads(ownerId);
  last.clear();
  last.set(ownerId, uploads);
  return uploads;
}

/** The scheduled messages of the archive, by their senders and the files that they link. */
const loadScheduled = oncePerStep(async ({ lists }) =>
  Map.groupBy(
    (await lists.read("zerver_scheduledmessage")).flatMap(({ id, sender, content }) =>
      [...new Set(linkedPathIds(String(content)))].map((pathId) => ({ id, key: `${sender} ${pathId}` })),
    ),
    ({ key }) => key,
  ),
);

/** The files that messages of the archive link, by owner. Skips the first `skip` files of the first owner, which are written. */
export const uploadsPhase: Phase = async (at, context, skip) => {
  const { lists, users } = context;
  const owner = users.find(({ id }) => id > at);
  if (!owner) return {};
  const [isExported, scheduled] = await Promise.all([loadExported(context), loadScheduled(context)]);
  const uploads = await uploadsOf(owner.id, context);
  const entries: ArchiveEntry[] = [];
  let bytesInMemory = 0;
  for (const [index, { upload, claims }] of uploads.entries()) {
    if (index < skip) continue;
    const messages = claims
      .map(({ messageId }) => messageId)
      .filter(isExported)
      .sort((a, b) => a - b);
    const { id, pathId, name, size, contentType, createdAt } = upload;
    // Before it is sent, a message lets nobody else read a file.
    const scheduledIds = (scheduled.get(`${owner.id} ${pathId}`) ?? []).map((message) => message.id);
    if (messages.length === 0 && scheduledIds.length === 0) continue;
    const isLarge = size > maxBytesInMemory;
    if (entries.length > 0 && bytesInMemory + size > maxBytesInMemory) return { entries, next: at, skip: index };
    const file = uploadFileKey(pathId);
    const found = isLarge ? undefined : await getFile(file);
    if (!isLarge && !found) continue;
    const lastModified = createdAt / 1000;
    await lists.add("zerver_attachment", [
      {
        ...{ id, realm: realmId, owner: owner.id, file_name: name, path_id: pathId, size, content_type: contentType },
        // Zulip decides again who may see it.
        ...{ create_time: lastModified, is_realm_public: null, is_web_public: null },
        ...{ messages, scheduled_messages: scheduledIds },
      },
    ]);
    await lists.add("uploads", [
      {
        ...{ realm_id: realmId, user_profile_id: owner.id, s3_path: pathId, path: pathId, size },
        ...{ last_modified: lastModified, content_type: contentType },
      },
    ]);
    const path = `uploads/${pathId}`;
    if (isLarge) return { entries, copy: { path, file, size }, next: at, skip: index + 1 };
    if (found) entries.push({ path, content: Buffer.from(found.content) });
    bytesInMemory += size;
  }
  return { entries, next: owner.id };
};

/** Avatars; like the pictures below, one at a time, because each may have some MiB. */
export const avatarsPhase: Phase = async (at, { users, lists }) => {
  const user = users.find(({ id, avatarFile }) => id > at && avatarFile !== undefined);
  if (!user) return {};
  const path = `${realmId}/${user.id}.original`;
  const entries = await readEntry(`avatars/${path}`, pictureFileKey(user.avatarFile ?? ""));
  await lists.add(
    "avatars",
    entries.map(() => ({
      ...{ realm_id: realmId, user_profile_id: user.id, avatar_version: user.avatarVersion, s3_path: path, path },
      ...{ content_type: null, importer_should_thumbnail: true },
    })),
  );
  return { entries, next: user.id };
};

/** Custom emoji, after the messages, so that there is each that a message shows. */
export const emojiPhase: Phase = async (at, context) => {
  const { lists, users } = context;
  const emoji = (await listEmoji()).find(({ id }) => id > at);
  if (!emoji) return {};
  const { id, name, deactivated } = emoji;
  const author = userIdOf(emoji.authorId, context) ?? users.find(({ role }) => role === roles.owner)?.id ?? null;
  const file_name = `${id}.${emoji.path.split(".").at(-1)}`;
  const path = `${realmId}/emoji/images/${file_name}`;
  const entries = await readEntry(`emoji/${path}`, emojiFile(emoji.path));
  await lists.add("zerver_realmemoji", [
    { id, realm: realmId, author, name, file_name, deactivated, is_animated: emoji.stillPath !== undefined },
  ]);
  await lists.add(
    "emoji",
    entries.map(() => ({ realm_id: realmId, author, path, s3_path: path, file_name, name, deactivated })),
  );
  return { entries, next: id };
};

/** The organization's pictures, each under the name by which Zulip serves it and as the original. */
export const iconsPhase: Phase = async (at, { realm, lists }) => {
  const files = { icon: realm.iconFile, logo: realm.logoFile, night_logo: realm.nightLogoFile };
  const [name, file] = Object.entries(files)[at] ?? [];
  const next = at < 2 ? at + 1 : undefined;
  if (name === undefined || file === undefined) return { next };
  const paths = [`${realmId}/${name}.original`, `${realmId}/${name}.png`];
  const [found] = await readEntry(name, pictureFileKey(file));
  if (!found) return { next };
  await lists.add(
    "realm_icons",
    paths.map((path) => ({ realm_id: realmId, path, s3_path: path })),
  );
  return { entries: paths.map((path) => ({ path: `realm_icons/${path}`, content: found.content })), next };
};

/** The entry of a file of the bucket; none if the file does not exist. */
async function readEntry(path: string, file: string): Promise<ArchiveEntry[]> {
  const found = await getFile(file);
  return found ? [{ path, content: Buffer.from(found.content) }] : [];
}
