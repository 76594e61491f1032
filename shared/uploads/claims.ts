import { badRequest } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Realm } from "../organization/access.ts";
import type { LoggedEvent } from "../store/log/entry.ts";
import {
  type Claim,
  createClaim,
  deleteClaim,
  findSpaceUsed,
  findUploads,
  listClaims,
  type Upload,
} from "../store/organization/uploads.ts";
import type { Write } from "../store/table/writes.ts";
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
  /** The number of events that `plan` returns. */
  events: number;
  /** The writes and events for the message's transaction, at most 3 items per changed file. */
  plan(message: { id: number; sentAt: number }): { writes: Write[]; events: LoggedEvent[] };
  /** Plans again with current data, after a conflict. */
  replan(): Promise<FileChange>;
  /** Attachments that no message links to afterwards. */
  detached: ReturnType<typeof toAttachmentWire>[];
}

export interface MessageText {
  author: UploadReader;
  /** Paths that the content links to, as the renderer found them. */
  uploadPaths: readonly string[];
  /** The paths claimed before an edit. */
  before?: readonly string[] | undefined;
  /** The number of other items in the same transaction, for participants and mentions. */
  otherItems?: number;
}

/** An event lists at most this many linking messages of a file, the newest. */
const maxListedMessages = 1000;
/** File changes that fit into 100 items at 3 each; the message itself and its webhook jobs take 14. */
const maxChanges = (others: number) => Math.min(28, Math.floor((86 - others) / 3));

/**
 * Plans which files a message claims: those that its author may read. Costs nothing without links to files, otherwise about 3
 * read units per changed file.
 */
export async function planFiles(text: MessageText, realm: Realm): Promise<FileChange> {
  const before = new Set(text.before ?? []);
  const wanted = new Set(text.uploadPaths.flatMap(toPathIds));
  const replan = () => planFiles(text, realm);
  if (before.size === 0 && wanted.size === 0)
    return { uploads: undefined, events: 0, plan: emptyPlan, replan, detached: [] };
  const [coming, going] = await Promise.all([
    listReadableFiles(
      text.author,
      [...wanted].filter((path) => !before.has(path)),
      realm,
    ),
    listLinkedFiles([...before].filter((path) => !wanted.has(path))),
  ]);
  const uploads = [...[...before].filter((path) => wanted.has(path)), ...coming.map(({ upload }) => upload.pathId)];
  if (uploads.length > limits.filesPerMessage || coming.length + going.length > maxChanges(text.otherItems ?? 0))
    throw badRequest(
      `A message can link at most ${limits.filesPerMessage} files, or fewer in a conversation with many people.`,
    );
  const events = coming.length + going.length;
  const used = events > 0 ? await findSpaceUsed() : 0;
  const left = ({ claims }: LinkedFile, id: number) => claims.filter(({ messageId }) => messageId !== id);
  return {
    uploads: uploads.length > 0 ? uploads : undefined,
    events,
    replan,
    detached: going.filter(({ upload }) => upload.claims === 1).map(({ upload }) => toAttachmentWire(upload, [])),
    plan: ({ id, sentAt }) => ({
      writes: [
        ...coming.flatMap(({ upload }) => createClaim(upload, { messageId: id, sentAt })),
        ...going.flatMap(({ upload }) => deleteClaim(upload, id, Date.now())),
      ],
      events: [
        ...coming.map((known) =>
          attachmentUpdatedEvent(known.upload, [...known.claims, { messageId: id, sentAt }], used),
        ),
        ...going.map((known) => attachmentUpdatedEvent(known.upload, left(known, id), used)),
      ],
    }),
  };
}

const emptyPlan = () => ({ writes: [], events: [] });

/** A file with the newest messages that link to it. */
export interface LinkedFile {
  upload: Upload;
  claims: Claim[];
}

/** The existing files with these paths. */
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
  // More files than these are refused anyway.
  const found = await listLinkedFiles(paths.slice(0, 2 * limits.filesPerMessage));
  const may = await Promise.all(found.map(({ upload }) => mayReadUpload(author, upload, realm)));
  return found.filter((_, index) => may[index]);
}
