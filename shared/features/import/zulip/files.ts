import { join } from "node:path";
import { displayName } from "../../../services/blobs/names.ts";
import { findFileIn, readFileIn } from "../archive.ts";
import { pathFor } from "../names.ts";
import type { PlannedDetails, PlannedFile } from "../plan.ts";
import type { ImportReport } from "../report.ts";
import { addTo, readRecords, type ZulipAttachment, type ZulipExport } from "./format.ts";
import type { ZulipPeople } from "./people.ts";

/** A file of the archive, and what that comes has it. */
interface KnownFile {
  pathId: string;
  attachment: ZulipAttachment;
  /** The number of messages. */
  claims: number;
  /** When the last scheduled message is to be sent, in UNIX seconds; 0 if none has it. */
  keptUntil: number;
}

/** The attachments of messages and of scheduled messages, by those that have them. */
export class ZulipFiles {
  readonly #folder: string;
  readonly #people: ZulipPeople;
  readonly #byMessage = new Map<number, ZulipAttachment[]>();
  readonly #byScheduledMessage = new Map<number, ZulipAttachment[]>();
  readonly #byPath = new Map<string, KnownFile>();
  /** Where in the archive the files are. */
  readonly #places: Map<string, string>;

  constructor(archive: ZulipExport, people: ZulipPeople, secret: string) {
    this.#folder = archive.folder;
    this.#people = people;
    this.#places = new Map(readRecords(archive.folder, "uploads").map(({ s3_path, path }) => [s3_path || path, path]));
    for (const attachment of archive.attachments) {
      if (this.#byPath.has(attachment.path_id)) continue;
      const name = attachment.file_name || attachment.path_id;
      const pathId = pathFor(attachment.path_id, name, secret);
      this.#byPath.set(attachment.path_id, { pathId, attachment, claims: 0, keptUntil: 0 });
      for (const messageId of new Set(attachment.messages)) addTo(this.#byMessage, messageId, attachment);
      for (const id of attachment.scheduled_messages) addTo(this.#byScheduledMessage, id, attachment);
    }
  }

  #find = (path: string) => this.#byPath.get(path) ?? this.#byPath.get(decoded(path));

  /** The new path of a file by that in the archive, which may be encoded as in a URL. */
  pathIdOf = (path: string): string | undefined => this.#find(path)?.pathId;

  /** Whether something that comes has the file, and the archive has its content. */
  comes(path: string): boolean {
    const known = this.#find(path);
    return (
      known !== undefined && isUsed(known) && findFileIn(this.#folder, this.#placeOf(known.attachment)) !== undefined
    );
  }

  #placeOf = ({ path_id }: ZulipAttachment) => join("uploads", this.#places.get(path_id) ?? path_id);

  /** Counts the messages that have each of a message's files. */
  survey(messageId: number, report: ImportReport): { pathId: string; isFirst: boolean }[] {
    return (this.#byMessage.get(messageId) ?? []).map(({ path_id }) => {
      const file = this.#byPath.get(path_id) as KnownFile;
      if (file.claims === 0) report.comes("files");
      return { pathId: file.pathId, isFirst: file.claims++ === 0 };
    });
  }

  /** A message's files: those that no earlier message has, with the IDs that `newId` gives, and the paths of the others. */
  of(messageId: number, seen: Set<string>, newId: () => number): { files: PlannedFile[]; sharedPathIds: string[] } {
    const files: PlannedFile[] = [];
    const sharedPathIds: string[] = [];
    for (const { path_id } of this.#byMessage.get(messageId) ?? []) {
      const known = this.#byPath.get(path_id) as KnownFile;
      if (seen.has(known.pathId)) {
        sharedPathIds.push(known.pathId);
        continue;
      }
      seen.add(known.pathId);
      files.push(this.#planned(known, newId()));
    }
    return { files, sharedPathIds };
  }

  /** Notes that a scheduled message comes, which is to be sent at `deliverAt`. */
  schedule(id: number, deliverAt: number): void {
    for (const { path_id, owner } of this.#byScheduledMessage.get(id) ?? []) {
      const known = this.#byPath.get(path_id) as KnownFile;
      // Before it is sent, only the owner can read the file.
      if (this.#people.idOf(owner) !== undefined) known.keptUntil = Math.max(known.keptUntil, deliverAt);
    }
  }

  /** The files that scheduled messages have and no messages. */
  ofScheduledMessages(newId: () => number): PlannedDetails["scheduledFiles"] {
    return [...this.#byPath.values()].flatMap((known) => {
      const ownerId = this.#people.idOf(known.attachment.owner);
      if (known.claims > 0 || known.keptUntil === 0 || ownerId === undefined) return [];
      return [{ ...this.#planned(known, newId()), ownerId, keptUntil: known.keptUntil }];
    });
  }

  #planned({ pathId, attachment, claims }: KnownFile, id: number): PlannedFile {
    const { path_id, file_name, owner, create_time } = attachment;
    const ownerId = this.#people.idOf(owner);
    return {
      ...{ id, pathId, name: displayName(file_name || path_id), isHtml: true, claims },
      url: this.#placeOf(attachment),
      ...(ownerId !== undefined && { ownerId }),
      ...(create_time > 0 && { createdAt: Math.floor(create_time) }),
    };
  }

  read = (file: PlannedFile): Uint8Array | undefined => readFileIn(this.#folder, file.url);

  /** Files that no message has, which are not imported. */
  get unusedCount(): number {
    return [...this.#byPath.values()].filter((known) => !isUsed(known)).length;
  }
}

const isUsed = ({ claims, keptUntil }: KnownFile) => claims > 0 || keptUntil > 0;

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
