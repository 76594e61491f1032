import { badRequest } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { Realm } from "../../services/organization/access.ts";
import { type ChangePart, noChange } from "../../store/log/log.ts";
import {
  type Claim,
  createClaim,
  deleteClaim,
  findUploads,
  getSpaceUsedBytes,
  listClaims,
  type Upload,
} from "../../store/organization/uploads.ts";
import { mayReadUpload, type UploadReader } from "./access.ts";
import { attachmentUpdatedEvent } from "./events.ts";
import { toPathIds } from "./link-metadata.ts";
import { toAttachmentWire } from "./wire.ts";

/**
 * Files are kept as long as messages link to them. A message stores the paths that it claims, and a file counts its claims.
 * Both change in the message's transaction, so that the sweep never deletes a linked file.
 */

/** The changes of file claims when a message is sent or edited; the writes fail if a file has changed since planning. */
export interface FileChange {
  /** The paths that the message links to afterwards; undefined for none. */
  uploads: string[] | undefined;
  /** Whether the message links to other files than before; if not, `plan` returns nothing. */
  changesLinks: boolean;
  /** The writes and events for the message's transaction, at most 3 items per changed file. */
  plan(message: { id: number; sentAt: number }): ChangePart;
  /** Plans again with current data, after a conflict. */
  replan(): Promise<FileChange>;
  /** Attachments that no message links to afterwards. */
  detached: ReturnType<typeof toAttachmentWire>[];
}

interface MessageText {
  author: UploadReader;
  /** Paths that the content links to, as the renderer found them. */
  uploadPaths: readonly string[];
  before?: readonly string[] | undefined;
  /** The number of other items in the same transaction, for participants and mentions. */
  otherItems?: number;
}

/** An event lists at most this many linking messages of a file, the newest. */
const maxListedMessages = 1000;
/** The file changes that fit into a transaction of 100 items at 3 each; the message and its webhook jobs take 14 items. */
const maxChanges = (otherItems: number) => Math.min(28, Math.floor((86 - otherItems) / 3));

/**
 * Plans which files a message claims: those that its author may read. Costs nothing without links to files, otherwise about 3
 * read units per changed file.
 */
export async function planFiles(text: MessageText, realm: Realm): Promise<FileChange> {
  const before = new Set(text.before ?? []);
  const after = new Set(text.uploadPaths.flatMap(toPathIds));
  const replan = () => planFiles(text, realm);
  if (before.size === 0 && after.size === 0)
    return { uploads: undefined, changesLinks: false, plan: () => noChange, replan, detached: [] };
  const [addedFiles, removedFiles] = await Promise.all([
    listReadableFiles(
      text.author,
      [...after].filter((path) => !before.has(path)),
      realm,
    ),
    listLinkedFiles([...before].filter((path) => !after.has(path))),
  ]);
  const uploads = [...[...before].filter((path) => after.has(path)), ...addedFiles.map(({ upload }) => upload.pathId)];
  if (
    uploads.length > limits.filesPerMessage ||
    addedFiles.length + removedFiles.length > maxChanges(text.otherItems ?? 0)
  )
    throw badRequest(
      `A message can link at most ${limits.filesPerMessage} files, or fewer in a conversation with many people.`,
    );
  const changesLinks = addedFiles.length + removedFiles.length > 0;
  const spaceUsed = changesLinks ? await getSpaceUsedBytes() : 0;
  const claimsWithout = ({ claims }: LinkedFile, id: number) => claims.filter(({ messageId }) => messageId !== id);
  return {
    uploads: uploads.length > 0 ? uploads : undefined,
    changesLinks,
    replan,
    detached: removedFiles
      .filter(({ upload }) => upload.claims === 1)
      .map(({ upload }) => toAttachmentWire(upload, [])),
    plan: ({ id, sentAt }) => ({
      writes: [
        ...addedFiles.flatMap(({ upload }) => createClaim(upload, { messageId: id, sentAt })),
        ...removedFiles.flatMap(({ upload }) => deleteClaim(upload, id, Date.now())),
      ],
      events: [
        ...addedFiles.map((file) =>
          attachmentUpdatedEvent(file.upload, [...file.claims, { messageId: id, sentAt }], spaceUsed),
        ),
        ...removedFiles.map((file) => attachmentUpdatedEvent(file.upload, claimsWithout(file, id), spaceUsed)),
      ],
    }),
  };
}

export interface LinkedFile {
  upload: Upload;
  claims: Claim[];
}

export async function listLinkedFiles(paths: readonly string[]): Promise<LinkedFile[]> {
  if (paths.length === 0) return [];
  const found = (await findUploads(paths)).filter((upload) => upload !== undefined);
  return Promise.all(
    found.map(async (upload) => ({
      upload,
      claims: upload.claims > 0 ? await listClaims(upload.pathId, maxListedMessages) : [],
    })),
  );
}

/** The files that the author may read: pasting a link must not give others access that the author does not have. */
async function listReadableFiles(author: UploadReader, paths: readonly string[], realm: Realm): Promise<LinkedFile[]> {
  // A message with more files than it may link is refused anyway.
  const found = await listLinkedFiles(paths.slice(0, 2 * limits.filesPerMessage));
  const isReadable = await Promise.all(found.map(({ upload }) => mayReadUpload(author, upload, realm)));
  return found.filter((_, index) => isReadable[index]);
}
