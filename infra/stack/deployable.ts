import type { DeploySettings } from "../aws/settings.ts";
import { RefusedError } from "../program.ts";
import { type DataResource, type DeployedStack, type OwnedData, usesData } from "./deployed-stack.ts";
import type { ExistingData } from "./removal.ts";

type Settings = Pick<DeploySettings, "name" | "drill"> & { existing: ExistingData };

/**
 * Throws RefusedError if a deployment would replace what is not such a fleet, would have CloudFormation delete data, or would give a
 * fleet the data of another that is deployed. `deployed` is the stack of this name, `owned` its data, `others` the other fleets.
 */
export function checkDeployable(
  settings: Settings,
  deployed: DeployedStack | undefined,
  owned: readonly OwnedData[],
  others: readonly DeployedStack[],
): void {
  const problems = [
    ...(deployed ? wrongFleet(settings, deployed) : []),
    ...lostData(settings, owned),
    ...sharedData(settings, others),
  ];
  if (problems.length > 0) throw new RefusedError(problems);
}

function wrongFleet({ name, drill }: Settings, { isFleet, outputs }: DeployedStack): string[] {
  if (!isFleet) return [`there is a stack ${name} that is not one of Skein: choose another name`];
  // A stack whose first deployment failed has no outputs.
  if (!outputs.Url || drill === (outputs.Drill !== undefined)) return [];
  return [
    drill
      ? `${name} is not a drill, and would lose its workers and schedules: choose another name`
      : `${name} is a drill, and would send what is due in its restored data: destroy it first`,
  ];
}

/** CloudFormation deletes what the settings name something else for, unless the deployment before retains it. */
function lostData({ existing }: Settings, owned: readonly OwnedData[]): string[] {
  const named = { table: existing.table, secret: existing.secretArn, bucket: existing.filesBucket };
  const lost = owned.filter(({ kind, id, isRetained }) => !isRetained && named[kind] && named[kind] !== id);
  return lost.map(
    ({ kind, id }) =>
      `the settings name another ${kind}, and ${id} would be deleted: deploy with removal "retain" and without that setting first`,
  );
}

/** Two fleets on one table would both send its mails, and sweep each other's files. A drill only reads files and secret. */
function sharedData({ drill, existing }: Settings, others: readonly DeployedStack[]): string[] {
  const shared: DataResource[] = [
    ...(existing.table ? [{ kind: "table" as const, id: existing.table }] : []),
    ...(existing.filesBucket && !drill ? [{ kind: "bucket" as const, id: existing.filesBucket }] : []),
  ];
  return shared.flatMap((data) =>
    others
      .filter((fleet) => usesData(fleet, data) && (data.kind === "table" || fleet.outputs.Drill === undefined))
      .map((fleet) => `the fleet ${fleet.name} uses the ${data.kind} ${data.id}`),
  );
}
