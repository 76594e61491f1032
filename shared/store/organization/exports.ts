import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { padded } from "../table/keys.ts";
import type { Lease } from "../table/leases.ts";
import { getItem, queryItems } from "../table/reads.ts";
import { type Condition, create, put, remove, type Update, update, type Write } from "../table/writes.ts";

export interface DataExport {
  id: number;
  actingUserId: number;
  /** 1: public data; 2: also the private data of users who consented. */
  type: 1 | 2;
  /** UNIX seconds. */
  requestedAt: number;
  status: "pending" | "done" | "failed" | "deleted";
  /** UNIX seconds: when it failed or was deleted. */
  endedAt?: number;
  /** The secret part of the archive's URL: anyone who knows it may download the archive. */
  token: string;
  /** The server's base URL in the request that started the export. */
  baseUrl: string;
}

/** How far an export's archive has been written: everything before the cursor is in it. */
export interface ExportCursor {
  phase: number;
  /** The progress within the phase, in a unit of the phase's own. */
  at: number;
  /** The number of files to skip at that position, because they are already in the archive. */
  skip?: number;
  /** The file being copied, of which the first `offset` bytes are in the archive. */
  copying?: { path: string; file: string; size: number; offset: number };
}

/** What the complete steps of an export have stored of a list of rows. */
export interface ListState {
  rows: number;
  bytes: number;
  files: number;
}

/** The state of a running export, in which each step continues where the last one stopped. */
export interface ExportWork {
  id: number;
  step: number;
  cursor: ExportCursor;
  lastMessageId: number;
  /** By the lists' names; absent before the first step. */
  lists?: Record<string, ListState>;
  /** The archive's S3 multipart upload; `parts` counts its uploaded parts. */
  uploadId?: string;
  parts: number;
  /** The file with the bytes written since the last part, which are too few for a part. */
  carry?: string;
  /** The expiry in UNIX milliseconds of the lease on the current step. */
  leaseUntil: number;
  /** UNIX milliseconds of the last step's end. */
  progressAt: number;
}

/** `version` is incremented by every change to any export, so that concurrent changes conflict. */
export interface ExportsHead {
  version: number;
  lastId: number;
}

const partition = "EXPORTS";
const headKey = { pk: partition, sk: "HEAD" };
const key = (id: number) => ({ pk: partition, sk: padded(id) });
const workKey = (id: number) => ({ pk: `EXPORT#${id}`, sk: "WORK" });
const partKey = (id: number, part: number) => ({ pk: `EXPORT#${id}`, sk: `PART#${padded(part)}` });
/** Items that are needed only while the export runs expire after two weeks. */
const expiresAt = () => nowSeconds() + 14 * secondsPerDay;

/** 1 read unit. */
export const findExportsHead = async (): Promise<ExportsHead> =>
  (await getItem<ExportsHead>(headKey)) ?? { version: 0, lastId: 0 };

/** Fails its transaction when any export has changed since the head was read. */
export const moveExportsHead = (head: ExportsHead, lastId = head.lastId): Write =>
  update(
    headKey,
    { set: { version: head.version + 1, lastId } },
    { equals: { version: head.version === 0 ? undefined : head.version } },
  );

/** All exports, by ID; 1 read unit for about fifteen. */
export const listExports = () =>
  queryItems<DataExport>({ pk: partition, from: padded(0), to: padded(Number.MAX_SAFE_INTEGER) });

/** 1 read unit. */
export const findExport = (id: number) => getItem<DataExport>(key(id));

export const createExport = (dataExport: DataExport, work: ExportWork): Write[] => [
  create({ ...key(dataExport.id), ...dataExport }),
  create({ ...workKey(dataExport.id), ...work, expiresAt: expiresAt() }),
];

/** Fails its transaction when the export's status has changed since it was read. */
export const updateExport = ({ id, status }: DataExport, set: Partial<DataExport>): Write =>
  update(key(id), { set }, { equals: { status } });

/** 1 read unit. */
export const findExportWork = (id: number) => getItem<ExportWork>(workKey(id));

/** Fails its transaction when the export is no longer at this step. */
export const updateExportWork = (id: number, step: number, change: Update): Write =>
  update(workKey(id), change, atStep(step));

const atStep = (step: number): Condition => ({ exists: true, equals: { step } });

/** The lease on a step, which one worker runs at a time. */
export const exportLease = (id: number, step: number, ms: number): Lease => ({
  key: workKey(id),
  attribute: "leaseUntil",
  ms,
  when: atStep(step),
});

export const deleteExportWork = (id: number): Write => remove(workKey(id));

/** Records a part that was uploaded to S3. */
export const putExportPart = (id: number, part: number, etag: string): Write =>
  put({ ...partKey(id, part), part, etag, expiresAt: expiresAt() });

/** The uploaded parts of an archive, in order; 1 read unit for about 40. */
export const listExportParts = (id: number) =>
  queryItems<{ part: number; etag: string }>({ pk: `EXPORT#${id}`, prefix: "PART#" });
