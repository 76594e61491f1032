import { changeEndpoint } from "../../shared/http/change-endpoint.ts";
import { realm } from "../../shared/organization/access.ts";
import { profileDataChange } from "../../shared/profile-fields/data/actions.ts";
import { checkValues } from "../../shared/profile-fields/data/values.ts";
import { int, list } from "../../shared/schema/params.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/users/me/profile_data",
    summary: "Clears custom profile fields of the caller.",
    caller: "human",
    params: { data: list(int(), { max: 50 }) },
    returns: {},
    needs: { realm },
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    const clearedValues = params.data.map((id) => ({ id, value: null }));
    return { change: await profileDataChange(caller.id, await checkValues(caller, clearedValues, realm)) };
  },
);
