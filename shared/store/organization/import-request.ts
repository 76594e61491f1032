import type { Lease } from "../table/leases.ts";
import { getItem } from "../table/reads.ts";
import { updateAndGetIf } from "../table/single-writes.ts";
import { type Condition, check, put, remove, update, type Write } from "../table/writes.ts";

/** An import that an owner has asked for in the page, of an archive that they upload. There is at most one. */
export interface ImportRequest {
  /** Identifies the request, and is in the names of its archive's parts. */
  id: string;
  /** SHA-256 of the token by which whoever has it follows the import, also while there are no accounts. */
  tokenHash: string;
  ownerId: number;
  fileName: string;
  /** What the owner is called in Discord, whose exports have no addresses. */
  ownerName?: string;
  /** Of the archive, in bytes. */
  size: number;
  /**
   * "uploading": the parts arrive; "checking": it is planned and rehearsed; "checked": the owner decides; "importing": it is written,
   * or given up; "failed" and "done": it is over.
   */
  state: ImportState;
  /** UNIX milliseconds of the last change of the state. */
  changedAt: number;
  /** UNIX milliseconds until which parts can be uploaded. */
  linksEndAt: number;
  /** Earlier requests, whose links had not expired when this one replaced them. */
  former: readonly Parts[];
  /** UNIX milliseconds; 0: nobody works on it. */
  leaseUntil: number;
  /** UNIX milliseconds at which a run was started last. */
  startedAt?: number;
  /** How often the work has begun since it last came further than `mark`. */
  attempts: number;
  mark?: string;
  /** What the check found: the report, and the name of the organization that the archive becomes. */
  report?: string;
  name?: string;
  /** Why it failed. */
  problem?: string;
  /** How far the current work has come, in a unit of its own. */
  done?: number;
  total?: number;
  /** Whether the organization has been closed for the import. */
  isBegun?: boolean;
  /** Whether everything is put back as it was. */
  isGivenUp?: boolean;
}

export type ImportState = "uploading" | "checking" | "checked" | "importing" | "failed" | "done";

/** What the names of an archive's parts follow from. */
export type Parts = Pick<ImportRequest, "id" | "size" | "linksEndAt">;

const key = { pk: "IMPORT", sk: "REQUEST" };

/** 1 read unit. */
export const findImportRequest = () => getItem<ImportRequest>(key);

/** Fails unless the request is still the one that it replaces, in the same state. */
export const putImportRequest = (request: ImportRequest, replaced: ImportRequest | undefined): Write =>
  put(
    { ...key, ...request },
    replaced
      ? { equals: { id: replaced.id, state: replaced.state, leaseUntil: replaced.leaseUntil } }
      : { exists: false },
  );

/** Changes a request if it is in a state, and returns it as it then is; undefined if it is in another. 1 write unit. */
export const updateImportRequest = async (
  { id, state }: Pick<ImportRequest, "id" | "state">,
  set: Partial<ImportRequest>,
): Promise<ImportRequest | undefined> =>
  (await updateAndGetIf(key, { set }, { equals: { id, state } })) as ImportRequest | undefined;

/** The same as a part of a transaction, which fails then. */
export const changeImportRequest = ({ id, state }: Pick<ImportRequest, "id" | "state">, set: Partial<ImportRequest>) =>
  update(key, { set }, { equals: { id, state } });

const isWanted = ({ id }: Pick<ImportRequest, "id">): Condition => ({
  equals: { id, state: "importing", isGivenUp: undefined },
});

/** Fails its transaction unless the request is being imported, and has not been given up. */
export const checkWanted = (request: Pick<ImportRequest, "id">): Write => check(key, isWanted(request));

/** A change as a part of a transaction, which fails like `checkWanted`. */
export const changeImporting = (request: Pick<ImportRequest, "id">, set: Partial<ImportRequest>): Write =>
  update(key, { set }, isWanted(request));

/** The right to work on a request in its state. Longer than the time limit of the function that has it. */
export const importLease = ({ id, state }: ImportRequest, ms: number): Lease => ({
  ...{ key, attribute: "leaseUntil", ms, when: { equals: { id, state } } },
});

/** Fails unless it is in the same state. */
export const deleteImportRequest = ({ id, state }: ImportRequest): Write => remove(key, { equals: { id, state } });
