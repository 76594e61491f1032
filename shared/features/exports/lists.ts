import { mapInBatches } from "../../base/batches.ts";
import { getFile, putFile } from "../../services/blobs/bucket.ts";
import type { ListState } from "../../store/organization/exports.ts";
import { listFile } from "./files.ts";

/**
 * Lists that are larger than a function's memory and whose rows are found in many steps: the tables of `realm.json`, other
 * files, and what later steps must know. Each step stores its new rows of a list in a file of the bucket. A list's state counts
 * what complete steps have stored, so that a repeated step replaces the rows of the attempt that died.
 */

/** The tables of `realm.json`, in its order. */
export const realmTables = [
  ...["zerver_realm", "zerver_realmauthenticationmethod", "zerver_presencesequence", "zerver_scheduledmessage"],
  ...["zerver_defaultstream", "zerver_customprofilefield", "zerver_realmemoji", "zerver_realmdomain"],
  ...["zerver_realmfilter", "zerver_realmplayground", "zerver_realmuserdefault", "zerver_userprofile"],
  ...["zerver_userprofile_mirrordummy", "zerver_userprofile_crossrealm", "zerver_usergroup", "zerver_namedusergroup"],
  ...["zerver_usergroupmembership", "zerver_groupgroupmembership", "zerver_service", "zerver_botstoragedata"],
  ...["zerver_stream", "zerver_huddle", "zerver_recipient", "zerver_subscription", "zerver_realmauditlog"],
  ...[
    "zerver_channelfolder",
    "zerver_alertword",
    "zerver_customprofilefieldvalue",
    "zerver_muteduser",
    "zerver_navigationview",
  ],
  ...["zerver_onboardingstep", "zerver_savedsnippet", "zerver_useractivity", "zerver_useractivityinterval"],
  ...["zerver_userpresence", "zerver_userstatus", "zerver_usertopic", "zerver_reaction", "zerver_client"],
  "zerver_botconfigdata",
  // Not in Zulip's own exports, and its importer passes over them. Zulip has reminders among the scheduled messages, but its importer
  // would leave them with the IDs of other messages.
  ...["zerver_submessage", "zerver_draft", "zerver_defaultstreamgroup", "skein_reminder"],
] as const;

export type ListName =
  | (typeof realmTables)[number]
  | "zerver_attachment"
  | "uploads"
  | "avatars"
  | "emoji"
  | "realm_icons"
  /** Who consented, and the last user, when the export began: one row. */
  | "beginning"
  /** Which messages are in the archive: a row for each of its files of messages. */
  | "messages";

/** So many files are read at a time. */
const filesPerBatch = 25;

export type Row = Record<string, unknown>;

export class Lists {
  private readonly token: string;
  /** The rows of complete steps. */
  private readonly stored: Readonly<Record<string, ListState>>;
  private readonly added = new Map<ListName, string[]>();
  private readonly idSets = new Map<ListName, Promise<Set<number>>>();
  /** The bytes of the rows that are not stored yet. */
  addedBytes = 0;

  constructor(token: string, stored: Readonly<Record<string, ListState>> = {}) {
    this.token = token;
    this.stored = stored;
  }

  private stateOf = (name: ListName): ListState => this.stored[name] ?? { rows: 0, bytes: 0, files: 0 };

  count = (name: ListName): number => this.stateOf(name).rows + (this.added.get(name)?.length ?? 0);

  /** Adds rows. A row of a table without an ID gets the next number of its table. */
  async add(name: ListName, rows: readonly Row[]): Promise<void> {
    const texts = this.added.get(name) ?? [];
    this.added.set(name, texts);
    const ids = await this.idSets.get(name);
    for (const row of rows) {
      const withId = /^(zerver|skein)_/.test(name) ? { id: this.count(name) + 1, ...row } : row;
      const text = `${this.count(name) === 0 ? "" : ",\n"}${JSON.stringify(withId)}`;
      texts.push(text);
      this.addedBytes += Buffer.byteLength(text);
      ids?.add(Number(withId.id));
    }
  }

  /** All rows so far. */
  async read(name: ListName): Promise<Row[]> {
    const files = [...Array(this.stateOf(name).files).keys()];
    const parts = await mapInBatches(files, filesPerBatch, async (file) => String(await this.readFile(name, file)));
    return JSON.parse(`[${[...parts, ...(this.added.get(name) ?? [])].join("")}]`);
  }

  /** The IDs of all rows so far; read once in a step. */
  ids(name: ListName): Promise<Set<number>> {
    const known = this.idSets.get(name) ?? this.read(name).then((rows) => new Set(rows.map(({ id }) => Number(id))));
    this.idSets.set(name, known);
    return known;
  }

  /** The rows that one step stored, as JSON text that follows the text of the step before. */
  async readFile(name: ListName, file: number): Promise<Buffer> {
    const found = await getFile(listFile(this.token, name, file));
    if (!found) throw new Error(`The rows ${file} of ${name} of an export are missing`);
    return Buffer.from(found.content);
  }

  /** The size of a complete list in bytes, and the number of its files. */
  size = (name: ListName) => this.stateOf(name);

  /** The files that `store` writes. */
  files = (): string[] =>
    [...this.added].flatMap(([name, texts]) =>
      texts.length > 0 ? [listFile(this.token, name, this.stateOf(name).files)] : [],
    );

  /** Stores the added rows; returns the states of all lists, which count once they are stored with the step. */
  async store(): Promise<Record<string, ListState>> {
    const states = { ...this.stored };
    for (const [name, texts] of this.added) {
      if (texts.length === 0) continue;
      const content = Buffer.from(texts.join(""));
      const { rows, bytes, files } = this.stateOf(name);
      await putFile(listFile(this.token, name, files), content, "application/json");
      states[name] = { rows: rows + texts.length, bytes: bytes + content.length, files: files + 1 };
    }
    return states;
  }
}
