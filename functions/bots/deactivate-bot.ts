import { int } from "../../shared/base/schema/params.ts";
import { accessActiveBot } from "../../shared/features/bots/access.ts";
import { setActive } from "../../shared/features/users/activity.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/bots/{bot_id}",
    summary: "Deactivates a bot. For its owner and administrators.",
    caller: "human",
    params: { bot_id: int() },
    returns: {},
    needs: { realm },
    errors: ["UNAUTHORIZED_PRINCIPAL"],
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  async ({ caller, params, realm }) => {
    const { user } = await accessActiveBot(caller, params.bot_id);
    return { change: await setActive({ user, active: false, realm }) };
  },
);
