import { endpoint } from "../../shared/http/endpoint.ts";
import { list } from "../../shared/http/params.ts";
import { listFields } from "../../shared/profile-fields/state.ts";
import { profileFieldObject, wireFields } from "../../shared/profile-fields/wire.ts";

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
  async () => ({ custom_fields: wireFields(await listFields()) }),
);
