import { int, jsonValue, list, object, optional } from "../../shared/base/schema/params.ts";
import { profileDataChange } from "../../shared/features/profile-fields/actions.ts";
import { checkValues } from "../../shared/features/profile-fields/values.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

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
