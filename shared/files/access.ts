import { contentHolds } from "../channels/content.ts";
import { badRequest, notFound, unauthorized } from "../errors.ts";
import { mayRead } from "../messages/access.ts";
import { isExpired } from "../messages/retention.ts";
import type { Realm } from "../organization/access.ts";
import { findChannels } from "../store/channels.ts";
import { findMessages } from "../store/messages.ts";
import { findSubscriptionsOf } from "../store/subscriptions.ts";
import {
  findPendingUpload,
  findUpload,
  findUploadOf,
  listClaims,
  type PendingUpload,
  type Upload,
} from "../store/uploads.ts";
import type { Caller } from "../users/caller.ts";

export type Reader = Pick<Caller, "id" | "role" | "joinedAt" | "groupIds">;

/**
 * A file that the caller may read; absent and not theirs to read give the same 404. A spectator, who has no account,
 * reads what messages of web-public channels link, and is asked to log in for all else.
 */
export async function accessUpload(caller: Reader | undefined, pathId: string, realm: Realm): Promise<Upload> {
  if (!caller && !realm.settings.enable_spectator_access) throw unauthorized();
  const upload = await findUpload(pathId);
  if (!upload || !(await mayReadUpload(caller, upload, realm))) throw caller ? noSuchFile() : unauthorized();
  return upload;
}

export const noSuchFile = () => notFound("File not found.");

/** A file of the caller's own, by its ID; another's and an unknown one give the same error. */
export async function accessOwnUpload(caller: Reader, id: number): Promise<Upload> {
  const upload = id > 0 ? await findUploadOf(caller.id, id) : undefined;
  if (!upload) throw badRequest("Invalid attachment");
  return upload;
}

/** A file that the caller may store by a link; another's and an unknown one give the same error. */
export async function accessPendingUpload(caller: Reader, pathId: string): Promise<PendingUpload> {
  const pending = await findPendingUpload(pathId);
  if (pending?.ownerId !== caller.id) throw badRequest("Invalid upload");
  return pending;
}

/** Messages that are looked at together for one that the reader may read. */
const pageSize = 25;

/** Whether a file is the reader's own, or linked by a message that they may read. */
export async function mayReadUpload(reader: Reader | undefined, upload: Upload, realm: Realm): Promise<boolean> {
  if (upload.ownerId === reader?.id) return true;
  for (let before: number | undefined; ; ) {
    const claims = await listClaims(upload.pathId, pageSize, before);
    const ids = claims.map(({ messageId }) => messageId);
    if (await mayReadOneOf(reader, ids, realm)) return true;
    if (claims.length < pageSize) return false;
    before = ids.at(-1);
  }
}

/** At most `pageSize` messages with their channels and the reader's subscriptions: three rounds of reads. */
async function mayReadOneOf(reader: Reader | undefined, ids: number[], realm: Realm): Promise<boolean> {
  const messages = (await findMessages(ids)).filter((message) => message !== undefined);
  const channelIds = [...new Set(messages.flatMap(({ channelId }) => channelId ?? []))];
  const [channels, subscriptions] = await Promise.all([
    findChannels(channelIds),
    reader ? findSubscriptionsOf(reader.id, channelIds) : [],
  ]);
  const holds = reader ? await contentHolds(reader, channels, realm) : () => false;
  return messages.some((message) => {
    const place = message.channelId === undefined ? -1 : channelIds.indexOf(message.channelId);
    const [channel, subscription] = [channels[place], subscriptions[place]];
    const may = reader ? mayRead(reader, message, channel, subscription, holds) : channel?.isWebPublic === true;
    return may && !isExpired(message, channel, realm.settings);
  });
}
