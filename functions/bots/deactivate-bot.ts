import { accessActiveBot } from "../../shared/bots/access.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { accessRealm } from "../../shared/organization/access.ts";
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
    prefetch: accessRealm,
    errors: ["UNAUTHORIZED_PRINCIPAL"],
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  async ({ caller, params }) => {
    const { user } = await accessActiveBot(caller, params.bot_id);
    await setActive({ user, active: false, realm: await accessRealm() });
  },
);
