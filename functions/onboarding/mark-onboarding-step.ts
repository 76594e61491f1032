import { text } from "../../shared/base/schema/params.ts";
import { markStepSeen } from "../../shared/features/onboarding/onboarding.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/users/me/onboarding_steps",
    summary: "Records that the caller has seen an onboarding step, which clients show only once.",
    caller: "human",
    params: { onboarding_step: text() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => ({ change: await markStepSeen(caller.id, params.onboarding_step) }),
);
