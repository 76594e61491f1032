import { padded } from "../table/keys.ts";
import type { Lease } from "../table/leases.ts";
import { queryItems } from "../table/queries.ts";
import { getItem } from "../table/table.ts";
import { type Condition, create, put, remove, type Update, update, type Write } from "../table/writes.ts";

/** A copy of the organization's data that an administrator has asked for. */
export interface DataExport {
  id: number;
  actingUserId: number;
  /** 1: what is public; 2: what those who consent may read beside it. */
  type: 1 | 2;
  /** UNIX seconds. */
  requestedAt: number;
  status: "pending" | "done" | "failed" | "deleted";
  /** UNIX seconds: when it failed or was deleted. */
  endedAt?: number;
  /** Names its files, and is part of its address: whoever has it may download. */
  token: string;
  /** Where the API was reached when it was asked for. */
  baseUrl: string;
}

/** Where the writing of an export's archive stands: everything before the cursor is in the archive. */
export interface ExportCursor {
  phase: number;
  /** What of the phase is done, as the phase counts. */
  at: number;
  skip?: number;
  /** A file of which the first `offset` bytes are in the archive. */
  copying?: { path: string; file: string; size: number; offset: number };
}

/** The work on an export, which each step takes up where the one before it ended. */
export interface ExportWork {
  id: number;
  step: number;
  cursor: ExportCursor;
  /** The newest message that is part of it. */
  lastMessageId: number;
  /** The multipart upload of the archive and how many parts it has. */
  uploadId?: string;
  parts: number;
  /** A file with what was written since the last part. */
  carry?: string;
  /** UNIX milliseconds until which somebody works on the step. */
  leaseUntil: number;
  /** UNIX milliseconds of the last step's end. */
  progressAt: number;
}

/** Changes with every change of any export, so that each sees all that came before it. */
export interface ExportsHead {
  version: number;
  lastId: number;
}

const partition = "EXPORTS";
const headKey = { pk: partition, sk: "HEAD" };
const key = (id: number) => ({ pk: partition, sk: padded(id) });
const workKey = (id: number) => ({ pk: `EXPORT#${id}`, sk: "WORK" });
const partKey = (id: number, part: number) => ({ pk: `EXPORT#${id}`, sk: `PART#${padded(part)}` });
/** What is of no use after the export has ended goes by itself. */
const expiresAt = () => Math.floor(Date.now() / 1000) + 14 * 86_400;

/** Strongly consistent: 1 read unit. */
export const findExportsHead = async (): Promise<ExportsHead> =>
  (await getItem<ExportsHead>(headKey, { consistent: true })) ?? { version: 0, lastId: 0 };

/** Fails its transaction when any export has changed since the head was read. */
export const moveExportsHead = (head: ExportsHead, lastId = head.lastId): Write =>
  update(
    headKey,
    { set: { version: head.version + 1, lastId } },
    { equals: { version: head.version === 0 ? undefined : head.version } },
  );

/** All exports, by ID; strongly consistent, 1 read unit for about fifteen. */
export const listExports = () =>
  queryItems<DataExport>({
    pk: partition,
    from: padded(0),
    to: padded(Number.MAX_SAFE_INTEGER),
    consistent: true,
  });

/** 1 read unit. */
export const findExport = (id: number) => getItem<DataExport>(key(id), { consistent: true });

export const createExport = (one: DataExport, work: ExportWork): Write[] => [
  create({ ...key(one.id), ...one }),
  create({ ...workKey(one.id), ...work, expiresAt: expiresAt() }),
];

/** Fails its transaction unless the export is as it was read. */
export const changeExport = ({ id, status }: DataExport, set: Partial<DataExport>): Write =>
  update(key(id), { set }, { equals: { status } });

/** Strongly consistent: 1 read unit. */
export const findExportWork = (id: number) => getItem<ExportWork>(workKey(id), { consistent: true });

/** Changes the work while it is still at a step. */
export const changeExportWork = (id: number, step: number, change: Update): Write =>
  update(workKey(id), change, atStep(step));

const atStep = (step: number): Condition => ({ exists: true, equals: { step } });

/** The lease of a step: one worker takes it at a time. */
export const exportLease = (id: number, step: number, ms: number): Lease => ({
  key: workKey(id),
  attribute: "leaseUntil",
  ms,
  when: atStep(step),
});

export const removeExportWork = (id: number): Write => remove(workKey(id));

/** Notes a part of the archive that S3 has. */
export const putExportPart = (id: number, part: number, etag: string): Write =>
  put({ ...partKey(id, part), part, etag, expiresAt: expiresAt() });

/** The parts of an archive in their order; 1 read unit for about forty. */
export const listExportParts = (id: number) =>
  queryItems<{ part: number; etag: string }>({ pk: `EXPORT#${id}`, prefix: "PART#", consistent: true });
