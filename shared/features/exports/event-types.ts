import { list, literal, strictObject } from "../../base/schema/params.ts";
import { exportObject } from "./wire.ts";

/** All exports of the organization's data, for administrators. */
export const realmExportEvent = strictObject({ type: literal("realm_export"), exports: list(exportObject) });
