import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { displayName } from "../../../shared/blobs/names.ts";
import { limits } from "../../../shared/limits.ts";
import { pathFor } from "../names.ts";
import type { PlannedFile } from "../plan.ts";
import type { ImportReport } from "../report.ts";
import { readRecords, type ZulipAttachment, type ZulipExport } from "./format.ts";
import type { ZulipPeople } from "./people.ts";

const maxFileBytes = limits.presignedUploadMib * 1024 * 1024;

/** The content of a file of an archive; undefined if it is not there, is too large, or is no file in the archive's folder. */
export function readFileIn(folder: string, path: string): Buffer | undefined {
  try {
    const real = realpathSync(join(folder, path));
    if (!real.startsWith(realpathSync(folder) + sep)) return undefined;
    const stats = lstatSync(real);
    return stats.isFile() && stats.size <= maxFileBytes ? readFileSync(real) : undefined;
  } catch {
    return undefined;
  }
}

/** The attachments of messages, by the messages that have them. */
export class ZulipFiles {
  readonly #folder: string;
  readonly #people: ZulipPeople;
  readonly #byMessage = new Map<number, ZulipAttachment[]>();
  readonly #byPath = new Map<string, { pathId: string; claims: number }>();
  /** Where in the archive the files are. */
  readonly #places: Map<string, string>;

  constructor(archive: ZulipExport, people: ZulipPeople, secret: string) {
    this.#folder = archive.folder;
    this.#people = people;
    this.#places = new Map(readRecords(archive.folder, "uploads").map(({ s3_path, path }) => [s3_path || path, path]));
    for (const attachment of archive.attachments) {
      if (this.#byPath.has(attachment.path_id)) continue;
      const name = attachment.file_name || attachment.path_id;
      this.#byPath.set(attachment.path_id, { pathId: pathFor(attachment.path_id, name, secret), claims: 0 });
      for (const messageId of new Set(attachment.messages)) {
        const known = this.#byMessage.get(messageId);
        if (known) known.push(attachment);
        else this.#byMessage.set(messageId, [attachment]);
      }
    }
  }

  /** The new path of a file by that in the archive, which may be encoded as in a URL. */
  pathIdOf(path: string): string | undefined {
    const known = this.#byPath.get(path) ?? this.#byPath.get(decoded(path));
    return known?.pathId;
  }

  /** Counts the messages that have each of a message's files. */
  survey(messageId: number, report: ImportReport): { pathId: string; isFirst: boolean }[] {
    return (this.#byMessage.get(messageId) ?? []).map(({ path_id }) => {
      const file = this.#byPath.get(path_id) as { pathId: string; claims: number };
      if (file.claims === 0) report.comes("files");
      return { pathId: file.pathId, isFirst: file.claims++ === 0 };
    });
  }

  /** A message's files: those that no earlier message has, with the IDs that `newId` gives, and the paths of the others. */
  of(messageId: number, seen: Set<string>, newId: () => number): { files: PlannedFile[]; sharedPathIds: string[] } {
    const files: PlannedFile[] = [];
    const sharedPathIds: string[] = [];
    for (const { path_id, file_name, owner, create_time } of this.#byMessage.get(messageId) ?? []) {
      const { pathId, claims } = this.#byPath.get(path_id) as { pathId: string; claims: number };
      if (seen.has(pathId)) {
        sharedPathIds.push(pathId);
        continue;
      }
      seen.add(pathId);
      const ownerId = this.#people.idOf(owner);
      files.push({
        ...{ id: newId(), pathId, name: displayName(file_name || path_id), isHtml: true, claims },
        url: join("uploads", this.#places.get(path_id) ?? path_id),
        ...(ownerId !== undefined && { ownerId }),
        ...(create_time > 0 && { createdAt: Math.floor(create_time) }),
      });
    }
    return { files, sharedPathIds };
  }

  read = (file: PlannedFile): Uint8Array | undefined => readFileIn(this.#folder, file.url);

  /** Files that no message has, which are not imported. */
  get unusedCount(): number {
    return [...this.#byPath.values()].filter(({ claims }) => claims === 0).length;
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
