import { int, list } from "../../shared/base/schema/params.ts";
import { profileDataChange } from "../../shared/features/profile-fields/actions.ts";
import { checkValues } from "../../shared/features/profile-fields/values.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

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
