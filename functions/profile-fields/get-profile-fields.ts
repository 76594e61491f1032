import { endpoint } from "../../shared/http/endpoint.ts";
import { listProfileFields } from "../../shared/profile-fields/state.ts";
import { profileFieldObject, toFieldsWire } from "../../shared/profile-fields/wire.ts";
import { list } from "../../shared/schema/params.ts";

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
