import { cannotDeactivateLastUser } from "../../shared/base/errors.ts";
import { accessUser } from "../../shared/core/users/access-user.ts";
import { findRemainingOwner } from "../../shared/features/users/changes.ts";
import { deactivatePerson } from "../../shared/features/users/deactivation.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/me",
    summary: "Deactivates the caller's account and their bots.",
    caller: "human",
    params: {},
    returns: {},
    needs: { realm },
    errors: ["CANNOT_DEACTIVATE_LAST_USER"],
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  async ({ caller, realm }) => {
    const user = await accessUser(caller.id);
    // Every organization has an owner, so its only user is also its only owner.
    const remaining = findRemainingOwner(user, realm, () => cannotDeactivateLastUser(true));
    await deactivatePerson(user, realm, remaining);
  },
);
