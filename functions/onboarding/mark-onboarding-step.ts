import { endpoint } from "../../shared/http/endpoint.ts";
import { markStepSeen } from "../../shared/onboarding/onboarding.ts";
import { text } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/onboarding_steps",
    summary: "Records that the caller has seen an onboarding step, which clients show only once.",
    caller: "human",
    params: { onboarding_step: text() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => markStepSeen(caller.id, params.onboarding_step),
);
