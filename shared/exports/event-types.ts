import { list, literal, strictObject, type Value } from "../schema/params.ts";
import { exportObject } from "./wire.ts";

/** All exports of the organization's data, for administrators. */
export const realmExportEvent = strictObject({ type: literal("realm_export"), exports: list(exportObject) });
export type RealmExportEvent = Value<typeof realmExportEvent>;

declare module "../schema/event-types.ts" {
  interface UnchangedEvents {
    realmExport: RealmExportEvent;
  }
}
