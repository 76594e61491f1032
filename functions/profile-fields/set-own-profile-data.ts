import { endpoint } from "../../shared/http/endpoint.ts";
import { realm } from "../../shared/organization/access.ts";
import { changeProfileData } from "../../shared/profile-fields/data/actions.ts";
import { checkValues } from "../../shared/profile-fields/data/values.ts";
import { int, jsonValue, list, object, optional } from "../../shared/schema/params.ts";

export const handler = endpoint(
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
    const change = await checkValues(caller, params.data, realm);
    await changeProfileData(caller.id, change);
  },
);
