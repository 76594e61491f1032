import { badRequest, notFound, unauthorized } from "../../base/errors.ts";
import type { Need } from "../../base/needs.ts";
import { loadContentPermissions } from "../../core/channels/content-permissions.ts";
import { isExpired } from "../../core/channels/retention.ts";
import { type Caller, mayReadMessage } from "../../services/identity/caller.ts";
import { checkSpectator, type Realm } from "../../services/organization/access.ts";
import { findChannels } from "../../store/channels/channels.ts";
import { findSubscriptionsOf } from "../../store/channels/subscriptions.ts";
import { findMessages } from "../../store/messages/messages.ts";
import {
  findPendingUpload,
  findUpload,
  findUploadOf,
  getSpaceUsedBytes,
  listClaims,
  type PendingUpload,
  type Upload,
} from "../../store/organization/uploads.ts";
import { mayRead } from "../messages/access.ts";
import { checkTemporaryToken } from "./links.ts";
import { overQuota, uploadQuotaBytes } from "./rules.ts";

export type UploadReader = Pick<Caller, "id" | "role" | "joinedAt" | "groupIds" | "agentKey">;

/**
 * Returns a file that the caller may read; absent and unreadable files give the same 404. Spectators may read files that are
 * linked in web-public channels; for other files they get a 401.
 */
export async function accessUpload(caller: UploadReader | undefined, pathId: string, realm: Realm): Promise<Upload> {
  if (!caller) checkSpectator(realm);
  const upload = await findUpload(pathId);
  if (!upload || !(await mayReadUpload(caller, upload, realm))) throw caller ? noSuchFile() : unauthorized();
  return upload;
}

export async function accessUploadByToken(token: string): Promise<Upload> {
  const upload = await findUpload(await checkTemporaryToken(token));
  if (!upload) throw noSuchFile();
  return upload;
}

export const noSuchFile = () => notFound("File not found.");

/** The caller's file that a request names; files of others and unknown files give the same error. */
export const ownUpload: Need<Upload, { caller: UploadReader; params: { attachment_id: number } }> = {
  load: async ({ caller, params: { attachment_id: id } }) => {
    const upload = id > 0 ? await findUploadOf(caller.id, id) : undefined;
    if (!upload) throw badRequest("Invalid attachment");
    return upload;
  },
};

/** Returns a pending upload of the caller; those of others and unknown ones give the same error. */
export async function accessPendingUpload(caller: UploadReader, pathId: string): Promise<PendingUpload> {
  const pending = await findPendingUpload(pathId);
  if (pending?.ownerId !== caller.id) throw badRequest("Invalid upload");
  return pending;
}

/** The number of messages linking to a file that are checked together. */
const pageSize = 25;

/**
 * Whether a reader owns a file, or may read a message that links to it. With an agent's key, a file of the owner's that messages link
 * to belongs to these: one of them must be a message that the key is for.
 */
export async function mayReadUpload(reader: UploadReader | undefined, upload: Upload, realm: Realm): Promise<boolean> {
  if (upload.ownerId === reader?.id && (!reader.agentKey || upload.claims === 0)) return true;
  for (let before: number | undefined; ; ) {
    const claims = await listClaims(upload.pathId, pageSize, before);
    const ids = claims.map(({ messageId }) => messageId);
    if (await mayReadAny(reader, ids, realm)) return true;
    if (claims.length < pageSize) return false;
    before = ids.at(-1);
  }
}

/** Whether a reader may read any of at most `pageSize` messages; takes three rounds of reads. */
async function mayReadAny(reader: UploadReader | undefined, ids: number[], realm: Realm): Promise<boolean> {
  const messages = (await findMessages(ids))
    .filter((message) => message !== undefined)
    .filter((message) => !reader || mayReadMessage(reader, message));
  const channelIds = [...new Set(messages.flatMap(({ channelId }) => channelId ?? []))];
  const [channels, subscriptions] = await Promise.all([
    findChannels(channelIds),
    reader ? findSubscriptionsOf(reader.id, channelIds) : [],
  ]);
  const isGranted = reader ? await loadContentPermissions(reader, channels, realm) : () => false;
  return messages.some((message) => {
    const index = message.channelId === undefined ? -1 : channelIds.indexOf(message.channelId);
    const [channel, subscription] = [channels[index], subscriptions[index]];
    const isReadable = reader
      ? mayRead(reader, message, channel, subscription, isGranted)
      : channel?.isWebPublic === true;
    return isReadable && !isExpired(message, channel, realm.settings);
  });
}

/** Throws a 400 if a file would exceed the quota. For concurrent uploads, a condition of the transaction ensures the same. */
export async function checkQuota(bytes: number, realm: Pick<Realm, "settings">): Promise<void> {
  const quota = uploadQuotaBytes(realm);
  if (quota !== undefined && (await getSpaceUsedBytes()) + bytes > quota) throw overQuota();
}
