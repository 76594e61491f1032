import { badRequest } from "../errors.ts";
import type { Realm } from "../organization/access.ts";
import { limits } from "../settings.ts";
import type { LoggedEvent } from "../store/log.ts";
import {
  type Claim,
  createClaim,
  deleteClaim,
  findUploads,
  listClaims,
  spaceUsed,
  type Upload,
} from "../store/uploads.ts";
import type { Write } from "../store/writes.ts";
import { mayReadUpload, type Reader } from "./access.ts";
import { attachmentUpdated } from "./events.ts";
import { pathOfLink } from "./paths.ts";
import { wireAttachment } from "./wire.ts";

/**
 * A file belongs to the messages that link it: each of them keeps the paths that it has claimed, and each file counts
 * its claims. Both change in the transaction of the message, so that no message links a file that a sweep may take.
 */

/** What sending or editing a message means for files; planned on what was read, and void when that has changed. */
export interface FileChange {
  /** What the message links afterwards, for its record; undefined when nothing. */
  uploads: string[] | undefined;
  /** How many events the change has. */
  events: number;
  /** The part of the message's transaction: at most 3 of its items for each file that comes or goes. */
  plan(message: { id: number; sentAt: number }): { writes: Write[]; events: LoggedEvent[] };
  /** The same, planned on what there is by then: for whom a file has changed in between. */
  again(): Promise<FileChange>;
  /** Records of the files that no message links afterwards. */
  detached: ReturnType<typeof wireAttachment>[];
}

export interface MessageText {
  author: Reader;
  /** Paths that the text links, as the renderer found them. */
  uploadPaths: readonly string[];
  /** What the message has claimed so far. */
  before?: readonly string[] | undefined;
  /** How many pointers of people and mentions stand in the same transaction. */
  others?: number;
}

/** Messages that the record of a file names in an event: the newest. */
const mostNamed = 1000;
/** What of a transaction's 100 items is left to files, at 3 each; the message and the bots that it calls take 14. */
const mostChanges = (others: number) => Math.min(28, Math.floor((86 - others) / 3));

/**
 * Which files a text claims: those that its author may read. A text without links to files costs nothing, others about
 * 3 read units for each file that comes or goes.
 */
export async function planFiles(text: MessageText, realm: Realm): Promise<FileChange> {
  const before = new Set(text.before ?? []);
  const wanted = new Set(text.uploadPaths.flatMap(pathOfLink));
  const again = () => planFiles(text, realm);
  if (before.size === 0 && wanted.size === 0)
    return { uploads: undefined, events: 0, plan: nothing, again, detached: [] };
  const [coming, going] = await Promise.all([
    readable(
      text.author,
      [...wanted].filter((path) => !before.has(path)),
      realm,
    ),
    present([...before].filter((path) => !wanted.has(path))),
  ]);
  const uploads = [...[...before].filter((path) => wanted.has(path)), ...coming.map(({ upload }) => upload.pathId)];
  if (uploads.length > limits.filesPerMessage || coming.length + going.length > mostChanges(text.others ?? 0))
    throw badRequest(`A message can link at most ${limits.filesPerMessage} files; between many people, fewer.`);
  const events = coming.length + going.length;
  const used = events > 0 ? await spaceUsed() : 0;
  const left = ({ claims }: Known, id: number) => claims.filter(({ messageId }) => messageId !== id);
  return {
    uploads: uploads.length > 0 ? uploads : undefined,
    events,
    again,
    detached: going.filter(({ upload }) => upload.claims === 1).map(({ upload }) => wireAttachment(upload, [])),
    plan: ({ id, sentAt }) => ({
      writes: [
        ...coming.flatMap(({ upload }) => createClaim(upload, { messageId: id, sentAt })),
        ...going.flatMap(({ upload }) => deleteClaim(upload, id, Date.now())),
      ],
      events: [
        ...coming.map((known) => attachmentUpdated(known.upload, [...known.claims, { messageId: id, sentAt }], used)),
        ...going.map((known) => attachmentUpdated(known.upload, left(known, id), used)),
      ],
    }),
  };
}

const nothing = () => ({ writes: [], events: [] });

/** A file with the newest messages that link it. */
export interface Known {
  upload: Upload;
  claims: Claim[];
}

/** The files of some paths that are there. */
export async function present(paths: readonly string[]): Promise<Known[]> {
  if (paths.length === 0) return [];
  const found = (await findUploads(paths)).filter((upload) => upload !== undefined);
  return Promise.all(
    found.map(async (upload) => ({
      upload,
      claims: upload.claims > 0 ? await listClaims(upload.pathId, mostNamed) : [],
    })),
  );
}

/** Those of some paths that a person may read: a pasted link gives nobody what its sender does not have. */
async function readable(author: Reader, paths: readonly string[], realm: Realm): Promise<Known[]> {
  // Beyond these there is an error anyway.
  const found = await present(paths.slice(0, 2 * limits.filesPerMessage));
  const may = await Promise.all(found.map(({ upload }) => mayReadUpload(author, upload, realm)));
  return found.filter((_, index) => may[index]);
}
