import {
  CloudFormationClient,
  CloudFormationServiceException,
  GetTemplateCommand,
  paginateDescribeStacks,
  paginateListStackResources,
  type Stack,
} from "@aws-sdk/client-cloudformation";
import { fleetDescription } from "../aws/settings.ts";

/** A fleet's stack as CloudFormation describes it. */
export interface DeployedStack {
  /** The ARN, which also finds the stack for 90 days after its deletion. */
  id: string;
  name: string;
  /** CloudFormation's status, such as "UPDATE_COMPLETE" or "DELETE_COMPLETE". */
  status: string;
  /** Whether it is one of Skein; a stack whose first deployment failed has nothing of anybody. */
  isFleet: boolean;
  terminationProtection: boolean;
  outputs: Record<string, string>;
}

/** The kinds of resources that contain data. */
const dataKinds = {
  "AWS::DynamoDB::GlobalTable": "table",
  "AWS::DynamoDB::Table": "table",
  "AWS::SecretsManager::Secret": "secret",
  "AWS::S3::Bucket": "bucket",
} as const;

/** A table, secret or bucket. */
export interface DataResource {
  kind: (typeof dataKinds)[keyof typeof dataKinds];
  /** The table's or bucket's name, or the secret's ARN (in MiniStack its name). */
  id: string;
}

/** A resource with data that CloudFormation lists as one of a stack's own. */
export interface OwnedData extends DataResource {
  /** Whether CloudFormation keeps it when it deletes the stack. */
  isRetained: boolean;
}

/** The stack of a name or ARN; undefined if there is none. A deleted one is found by its ARN only. */
export async function findStack(nameOrId: string): Promise<DeployedStack | undefined> {
  const client = new CloudFormationClient({});
  try {
    for await (const { Stacks = [] } of paginateDescribeStacks({ client }, { StackName: nameOrId }))
      for (const stack of Stacks) return deployedStack(stack);
  } catch (error) {
    const isMissing = error instanceof CloudFormationServiceException && /does not exist/.test(error.message);
    if (!isMissing) throw error;
  }
  return undefined;
}

/** The fleets of the account and region but for the given one. */
export async function otherFleets(stackId: string | undefined): Promise<DeployedStack[]> {
  const client = new CloudFormationClient({});
  const stacks: DeployedStack[] = [];
  for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {})) stacks.push(...Stacks.map(deployedStack));
  return stacks.filter(({ id, isFleet, status }) => isFleet && id !== stackId && status !== "DELETE_COMPLETE");
}

function deployedStack(stack: Stack): DeployedStack {
  const { StackId: id = "", StackName: name = "", StackStatus: status = "", Description, ParentId } = stack;
  const outputs = Object.fromEntries(
    (stack.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
  );
  const isFleet =
    // MiniStack forgets descriptions.
    Description === fleetDescription ||
    (outputs.TableName && outputs.FilesBucket && outputs.ScheduleGroup) ||
    /^(ROLLBACK_COMPLETE|REVIEW_IN_PROGRESS)$/.test(status);
  return {
    ...{ id, name, status, outputs, isFleet: Boolean(isFleet) && ParentId === undefined },
    terminationProtection: stack.EnableTerminationProtection ?? false,
  };
}

/** The resources with data that a stack and its nested stacks own, as CloudFormation lists them. */
export async function ownedData(stackId: string): Promise<OwnedData[]> {
  const client = new CloudFormationClient({});
  const owned: (DataResource & { logicalId: string })[] = [];
  const nestedIds: string[] = [];
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName: stackId }))
    for (const { ResourceType: type = "", PhysicalResourceId: id, ...resource } of StackResourceSummaries) {
      if (!id || /^DELETE_(COMPLETE|SKIPPED)$/.test(resource.ResourceStatus ?? "")) continue;
      if (type === "AWS::CloudFormation::Stack") nestedIds.push(id);
      const kind = Object.hasOwn(dataKinds, type) ? dataKinds[type as keyof typeof dataKinds] : undefined;
      if (kind) owned.push({ kind, id, logicalId: resource.LogicalResourceId ?? "" });
    }
  const isRetained = owned.length > 0 ? await deletionPolicies(client, stackId) : () => false;
  const nested: OwnedData[] = [];
  for (const nestedId of nestedIds) nested.push(...(await ownedData(nestedId)));
  return [...owned.map(({ kind, id, logicalId }) => ({ kind, id, isRetained: isRetained(logicalId) })), ...nested];
}

/** Whether a stack's template, as it was deployed, has CloudFormation keep a resource. */
async function deletionPolicies(client: CloudFormationClient, stackId: string) {
  const { TemplateBody = "{}" } = await client.send(
    new GetTemplateCommand({ StackName: stackId, TemplateStage: "Processed" }),
  );
  const { Resources = {} } = JSON.parse(TemplateBody) as { Resources?: Record<string, { DeletionPolicy?: string }> };
  return (logicalId: string) => /^Retain/.test(Resources[logicalId]?.DeletionPolicy ?? "");
}

/** Whether a fleet uses a resource, whoever owns it. */
export const usesData = ({ outputs }: DeployedStack, { kind, id }: DataResource): boolean =>
  kind === "table"
    ? outputs.TableName === id
    : kind === "bucket"
      ? outputs.FilesBucket === id
      : // In MiniStack the ID is the secret's name, which is a part of the ARN.
        (outputs.SecretArn ?? "").includes(id);
