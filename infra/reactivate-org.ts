import { reactivateOrganization } from "../shared/core/organization/deactivation.ts";
import { deployedOutputs, environmentOf } from "./deployment.ts";
import { runProgram } from "./program.ts";

/** `npm run reactivate-org`: reactivates the organization of the fleet that was deployed from this checkout. */
async function main(): Promise<number> {
  const outputs = deployedOutputs();
  Object.assign(process.env, environmentOf(outputs));
  const reactivated = await reactivateOrganization();
  console.log(
    `${reactivated ? "The organization has been reactivated" : "The organization is already active"}: ${outputs.Url}`,
  );
  return 0;
}

await runProgram(main);
