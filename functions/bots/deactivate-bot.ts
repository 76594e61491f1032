import { int } from "../../shared/base/schema/params.ts";
import { accessActiveBot } from "../../shared/features/bots/access.ts";
import { setActive } from "../../shared/features/users/activity.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
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
    await setActive({ user, active: false, realm: realm });
  },
);
