import { list } from "../../shared/base/schema/params.ts";
import { listProfileFields } from "../../shared/core/profile-fields/state.ts";
import { profileFieldObject, toFieldsWire } from "../../shared/core/profile-fields/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/realm/profile_fields",
    summary: "Lists the organization's custom profile fields in their order.",
    caller: "user",
    params: {},
    returns: { custom_fields: list(profileFieldObject) },
    uses: { table: "read" },
  },
  async () => ({ custom_fields: toFieldsWire(await listProfileFields()) }),
);
