import { list, literal, strictObject, type Value } from "../../base/schema/params.ts";
import { exportObject } from "./wire.ts";

/** All exports of the organization's data, for administrators. */
export const realmExportEvent = strictObject({ type: literal("realm_export"), exports: list(exportObject) });

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    realm_export: Value<typeof realmExportEvent>;
  }
}
