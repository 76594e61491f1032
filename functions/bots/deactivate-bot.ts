import { accessBot } from "../../shared/bots/access.ts";
import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { setActive } from "../../shared/users/activity.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/bots/{bot_id}",
    summary: "Deactivates a bot; for its owner and administrators.",
    caller: "human",
    params: { bot_id: int() },
    returns: {},
    uses: { table: "readWrite", sends: ["chores"] },
  },
  async ({ caller, params }) => {
    const { user } = await accessBot(caller, params.bot_id);
    if (!user.active) throw badRequest("User is deactivated");
    await setActive({ user, active: false, realm: await accessRealm() });
  },
);
