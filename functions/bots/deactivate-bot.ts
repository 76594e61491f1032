import { accessActiveBot } from "../../shared/bots/access.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { realm } from "../../shared/organization/access.ts";
import { int } from "../../shared/schema/params.ts";
import { setActive } from "../../shared/users/manage/activity.ts";

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
