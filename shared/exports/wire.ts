import { bool, exactly, int, nullable, text, type Value } from "../http/params.ts";
import type { DataExport } from "../store/exports.ts";

/** The record of an export (companion reference, B); times are UNIX seconds. */
export const exportObject = exactly({
  id: int(),
  acting_user_id: int(),
  export_time: int(),
  deleted_timestamp: nullable(int()),
  failed_timestamp: nullable(int()),
  export_url: nullable(text()),
  pending: bool(),
  export_type: int(),
});

export const wireExport = (one: DataExport): Value<typeof exportObject> => ({
  id: one.id,
  acting_user_id: one.actingUserId,
  export_time: one.requestedAt,
  deleted_timestamp: one.status === "deleted" ? (one.endedAt ?? null) : null,
  failed_timestamp: one.status === "failed" ? (one.endedAt ?? null) : null,
  export_url: one.status === "done" ? `${one.baseUrl}/exports/${one.id}/${one.token}/${archiveName(one)}` : null,
  pending: one.status === "pending",
  export_type: one.type,
});

/** What the archive is called when it is saved. */
export const archiveName = ({ id }: Pick<DataExport, "id">) => `export-${id}.tar.gz`;
