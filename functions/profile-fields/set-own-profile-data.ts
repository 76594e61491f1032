import { changeEndpoint } from "../../shared/http/change-endpoint.ts";
import { realm } from "../../shared/organization/access.ts";
import { profileDataChange } from "../../shared/profile-fields/data/actions.ts";
import { checkValues } from "../../shared/profile-fields/data/values.ts";
import { int, jsonValue, list, object, optional } from "../../shared/schema/params.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/users/me/profile_data",
    summary: "Sets values of the caller's custom profile fields.",
    caller: "human",
    params: { data: list(object({ id: int(), value: optional(jsonValue()) }), { max: 50 }) },
    returns: {},
    needs: { realm },
    creates: "profileValue",
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    return { change: await profileDataChange(caller.id, await checkValues(caller, params.data, realm)) };
  },
);
