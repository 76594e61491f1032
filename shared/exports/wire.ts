import { bool, int, nullable, strictObject, text, type Value } from "../schema/params.ts";
import type { DataExport } from "../store/organization/exports.ts";

/** The export object; times are UNIX seconds. See https://zulip.com/api/get-realm-exports. */
export const exportObject = strictObject({
  id: int(),
  acting_user_id: int(),
  export_time: int(),
  deleted_timestamp: nullable(int()),
  failed_timestamp: nullable(int()),
  export_url: nullable(text()),
  pending: bool(),
  export_type: int(),
});

export const toExportWire = (one: DataExport): Value<typeof exportObject> => ({
  id: one.id,
  acting_user_id: one.actingUserId,
  export_time: one.requestedAt,
  deleted_timestamp: one.status === "deleted" ? (one.endedAt ?? null) : null,
  failed_timestamp: one.status === "failed" ? (one.endedAt ?? null) : null,
  export_url: one.status === "done" ? `${one.baseUrl}/exports/${one.id}/${one.token}/${archiveName(one)}` : null,
  pending: one.status === "pending",
  export_type: one.type,
});

/** The archive's file name for downloads. */
export const archiveName = ({ id }: Pick<DataExport, "id">) => `export-${id}.tar.gz`;
