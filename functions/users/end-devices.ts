import { int } from "../../shared/base/schema/params.ts";
import { accessUserToManage, checkMayManageIfOwner } from "../../shared/core/users/access-user.ts";
import { regenerateKey } from "../../shared/features/users/key-actions.ts";
import { removeDevices } from "../../shared/messaging/mobile-push/removal.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/{user_id}/devices",
    summary:
      "Signs a user out of all devices and replaces their API key. For administrators; only owners can do so for owners.",
    note: "None of the devices gets notifications any more. The password does not change.",
    caller: "admin",
    params: { user_id: int() },
    returns: {},
    creates: "apiKey",
    uses: { table: "readWrite", secret: true, sends: ["outgoing"], pushBouncer: true },
  },
  async ({ caller, params }) => {
    const user = await accessUserToManage(caller, params.user_id);
    checkMayManageIfOwner(caller, user);
    await regenerateKey(user.email, user.id);
    await removeDevices(user.id);
  },
);
