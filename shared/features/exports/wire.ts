import { bool, int, nullable, strictObject, text, type Value } from "../../base/schema/params.ts";
import type { DataExport } from "../../store/organization/exports.ts";

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

export const toExportWire = (dataExport: DataExport): Value<typeof exportObject> => ({
  id: dataExport.id,
  acting_user_id: dataExport.actingUserId,
  export_time: dataExport.requestedAt,
  deleted_timestamp: dataExport.status === "deleted" ? (dataExport.endedAt ?? null) : null,
  failed_timestamp: dataExport.status === "failed" ? (dataExport.endedAt ?? null) : null,
  export_url:
    dataExport.status === "done"
      ? `${dataExport.baseUrl}/exports/${dataExport.id}/${dataExport.token}/${archiveName(dataExport)}`
      : null,
  pending: dataExport.status === "pending",
  export_type: dataExport.type,
});

export const archiveName = ({ id }: Pick<DataExport, "id">) => `export-${id}.tar.gz`;
