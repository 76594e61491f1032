import { createHash } from "node:crypto";
import type { SecondFactor } from "../second-factors/second-factors.ts";
import { headKey } from "../table/log-items.ts";
import { getItem, queryPages } from "../table/reads.ts";
import { check, create, type Item, type Key, put, remove, update, type Write } from "../table/writes.ts";
import type { Organization } from "./organization.ts";

/** An organization that nobody has used, from when it is closed for an import until the imported one takes its place. */
export interface ReplacedOrganization {
  organization: Organization;
  owner: ReplacedOwner;
  /** UNIX milliseconds since which nobody can begin to use it. Absent until it is closed. */
  closedAt?: number;
  /** How its owner signs in. Absent until it is certain that nobody has used the organization. */
  account?: { passwordHash?: string; identity?: string; secondFactor?: string };
  /** Their second factor: its codes follow from it and the deployment's secret, and so stay the same. */
  secondFactor?: SecondFactor;
  /** Whether nothing of it is left in the table. */
  isCleared?: boolean;
}

/** What is kept of the owner of a replaced organization. */
export interface ReplacedOwner {
  email: string;
  fullName: string;
  timezone: string;
  /** UNIX seconds. */
  joinedAt: number;
  profile: { avatarSource: "G" | "U"; avatarVersion: number; avatarFile?: string };
}

/** How far an import has come. It exists from the import's first write until the organization does. */
export interface ImportProgress {
  /** Identifies the archive and the options, so that an import is continued with the same ones. */
  archive: string;
  /** Identifies the process that writes; the others end. Absent before the first write. */
  run?: string;
  /** Absent when the import makes a new organization. */
  replaces?: ReplacedOrganization;
  /** The time that everything without a date of its own gets, in UNIX seconds. */
  startedAt: number;
  /** Whether people, channels and emoji have been written. */
  hasMembers: boolean;
  /** How many messages have been written, in the order of their IDs. */
  messages: number;
  /** How many files could be fetched and how many could not, and the bytes of the former. */
  files: number;
  missingFiles: number;
  fileBytes: number;
  /** The newest IDs that were reserved before the import, which are reserved anew when it is given up. */
  reserved?: { message: number; scheduledMessage: number };
  /** Since when everything that has been written is deleted again, in UNIX milliseconds. It cannot be continued then. */
  givenUpAt?: number;
  /** Whether the organization exists, the imported one or the former one, and only what was kept of the former one is left. */
  isOver?: boolean;
}

const key = { pk: "IMPORT", sk: "PROGRESS" };

/** 1 read unit. */
export const findImport = () => getItem<ImportProgress>(key);

/** Whether there is an import that is not over. 1 read unit. */
export async function isImporting(): Promise<boolean> {
  const progress = await findImport();
  return progress !== undefined && progress.isOver !== true;
}

/** Fails when an import has been begun. */
export const createImport = (progress: ImportProgress): Write => create({ ...key, ...progress });

/** Fails when `run` is no longer the one that writes. */
export const putImport = (progress: ImportProgress, run: string): Write =>
  put({ ...key, ...progress }, { exists: true, equals: { run } });

/** Fails like `putImport`. */
export const checkImport = (run: string): Write => check(key, { exists: true, equals: { run } });

/** The items of a replaced organization, by which it is restored if the import is given up. */
export const replacedPartition = "REPLACED";

const replacedKey = ({ pk, sk }: Key): Key => ({
  pk: replacedPartition,
  sk: createHash("sha256").update(`${pk}\n${sk}`).digest("hex"),
});

/** Keeps an item of a replaced organization, without being in its partition or in an index. */
export const keepReplaced = (item: Item): Write => put({ ...replacedKey(item), item });

export const forgetReplaced = (item: Item): Write => remove(replacedKey(item));

/** What is kept of a replaced organization, page by page. */
export async function* listReplaced(): AsyncGenerator<Item[]> {
  for await (const page of queryPages<{ item: Item }>({ pk: replacedPartition })) yield page.map(({ item }) => item);
}

/** Reserves IDs anew, of an organization that nobody uses. */
export const restoreReserved = (reserved: NonNullable<ImportProgress["reserved"]>): Write =>
  update(headKey, { set: reserved });

/** Fails like `putImport`. */
export const deleteImport = (run: string): Write => remove(key, { exists: true, equals: { run } });
