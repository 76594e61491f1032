import { RefusedError } from "../program.ts";
import type { DataResource, DeployedStack, OwnedData } from "./deployed-stack.ts";
import { usesData } from "./deployed-stack.ts";

/** A removal with its data that has been confirmed: what is to be deleted once the stack is gone. */
export interface RemovalRecord {
  stackId: string;
  data: DataResource[];
}

/** Which of the resources with data the settings take from elsewhere. */
export type ExistingData = Readonly<Record<"table" | "secretArn" | "filesBucket", string>>;

/** What a removal reads and does. */
export interface Outside {
  findStack(nameOrId: string): Promise<DeployedStack | undefined>;
  ownedData(stackId: string): Promise<OwnedData[]>;
  otherFleets(stackId: string): Promise<DeployedStack[]>;
  /** A line that says what would be lost; undefined if the resource does not exist. */
  describeData(data: DataResource): Promise<string | undefined>;
  deleteData(data: DataResource): Promise<void>;
  /** Deploys the fleet with `removal=retain`. */
  retainData(): Promise<void>;
  /** Has CloudFormation delete the stack, and waits. */
  destroyStack(): Promise<void>;
  /** Shows the text, and throws unless the operator agrees. */
  confirm(text: string): Promise<void>;
  readRecord(): RemovalRecord | undefined;
  writeRecord(record: RemovalRecord): void;
  deleteRecord(stackId: string): void;
}

interface RemovalOptions {
  name: string;
  withData: boolean;
  existing: ExistingData;
}

/** What has been removed. */
export interface Removed {
  stackId: string;
  /** The stack's outputs, unless it was gone before. */
  outputs: Record<string, string> | undefined;
  /** What the stack owned, or with `withData` what has been deleted. */
  data: DataResource[];
}

/**
 * Removes a fleet. What is deleted is what CloudFormation lists as the stack's own, after every check and the question: the stack
 * while its data is retained, and then the data, the files last. Repeating an interrupted removal finishes it. Throws RefusedError,
 * before anything is changed, if the fleet cannot be removed.
 */
export async function removeFleet(options: RemovalOptions, outside: Outside): Promise<Removed> {
  const { name, withData } = options;
  const stack = await outside.findStack(name);
  const record = withData ? outside.readRecord() : undefined;
  if (!stack && record) return finish(name, record, outside);
  if (!stack) throw new RefusedError([`there is no stack ${name} in this account and region`]);
  checkRemovable(stack);
  const owned = await outside.ownedData(stack.id);
  if (!withData) return removeStack(stack, owned, outside);

  const others = await outside.otherFleets(stack.id);
  checkUnused(owned, others);
  if (!owned.every(({ isRetained }) => isRetained)) checkSettings(owned, options.existing);
  // Of an earlier removal that was interrupted: of this stack while it was being deleted, or of a former one of this name.
  const earlier = (record?.data ?? []).filter(
    (data) =>
      !owned.some(({ id }) => id === data.id) &&
      ![...others, ...(record?.stackId === stack.id ? [] : [stack])].some((fleet) => usesData(fleet, data)),
  );
  const data = [...owned.map(({ kind, id }) => ({ kind, id })), ...earlier].toSorted(filesLast);
  await outside.confirm(await question(name, data, outside));
  outside.writeRecord({ stackId: stack.id, data });
  if (!owned.every(({ isRetained }) => isRetained)) {
    await outside.retainData();
    const retained = new Set((await outside.ownedData(stack.id)).filter((one) => one.isRetained).map(({ id }) => id));
    const lost = owned.find(({ id }) => !retained.has(id));
    if (lost) throw new Error(`CloudFormation would still delete the ${lost.kind} ${lost.id}; nothing was deleted.`);
  }
  await outside.destroyStack();
  await deleteAll({ stackId: stack.id, data }, outside);
  return { stackId: stack.id, outputs: stack.outputs, data };
}

/** Removes the stack and keeps its data. */
async function removeStack(stack: DeployedStack, owned: readonly OwnedData[], outside: Outside): Promise<Removed> {
  const lost = owned.filter(({ isRetained }) => !isRetained);
  if (lost.length > 0)
    throw new RefusedError([
      `${stack.name} was deployed with removal "destroy", so its data would be deleted too: ${lost.map(({ id }) => id).join(", ")}`,
      `confirm with --delete-data ${stack.name}, or deploy with removal "retain" first`,
    ]);
  const kept = owned.map(({ id }) => `\n  ${id} is kept`).join("");
  await outside.confirm(`This deletes the fleet ${stack.name} (${stack.id}).${kept}`);
  await outside.destroyStack();
  return { stackId: stack.id, outputs: stack.outputs, data: owned.map(({ kind, id }) => ({ kind, id })) };
}

/** Deletes the data of a stack that is gone already. */
async function finish(name: string, { stackId, data: recorded }: RemovalRecord, outside: Outside): Promise<Removed> {
  const others = await outside.otherFleets(stackId);
  const data = recorded.filter((one) => !others.some((fleet) => usesData(fleet, one)));
  await outside.confirm(await question(name, data, outside));
  await deleteAll({ stackId, data }, outside);
  return { stackId, outputs: undefined, data };
}

async function deleteAll({ stackId, data }: RemovalRecord, outside: Outside): Promise<void> {
  const stack = await outside.findStack(stackId);
  if (stack?.status !== "DELETE_COMPLETE")
    throw new Error(
      `CloudFormation does not say that ${stackId} is deleted (${stack?.status ?? "it is unknown to these credentials"}), so its data is kept: ${data.map(({ id }) => id).join(", ")}`,
    );
  for (const one of data) await outside.deleteData(one);
  outside.deleteRecord(stackId);
}

function checkRemovable({ name, status, isFleet, terminationProtection }: DeployedStack): void {
  if (!isFleet) throw new RefusedError([`the stack ${name} is not one of Skein`]);
  if (terminationProtection)
    throw new RefusedError([`${name} is protected from deletion: deploy with terminationProtection=false first`]);
  if (/_IN_PROGRESS$/.test(status) && status !== "DELETE_IN_PROGRESS")
    throw new RefusedError([`${name} is being changed (${status}): wait until that has ended`]);
}

function checkUnused(owned: readonly OwnedData[], others: readonly DeployedStack[]): void {
  const problems = owned.flatMap((data) =>
    others
      .filter((fleet) => usesData(fleet, data))
      .map(({ name }) => `the fleet ${name} uses the ${data.kind} ${data.id}`),
  );
  if (problems.length > 0) throw new RefusedError([...problems, "remove it first"]);
}

/** The deployment that retains the data must not create some, nor exchange it. */
function checkSettings(owned: readonly OwnedData[], { table, secretArn, filesBucket }: ExistingData): void {
  const problems = Object.entries({ table, secret: secretArn, bucket: filesBucket }).flatMap(([kind, existing]) => {
    const isOwned = owned.some((data) => data.kind === kind);
    return isOwned === (existing === "")
      ? []
      : [`the settings ${existing ? "name a" : "name no"} ${kind}, otherwise than the deployment`];
  });
  if (problems.length > 0) throw new RefusedError([...problems, "use the settings with which the fleet was deployed"]);
}

async function question(name: string, data: readonly DataResource[], outside: Outside): Promise<string> {
  const lines = await Promise.all(data.map((one) => outside.describeData(one)));
  return [
    `This deletes the fleet ${name} and, for ever:`,
    ...lines.flatMap((line) => (line ? [`  ${line}`] : [])),
  ].join("\n");
}

/** A deleted table leaves DynamoDB's last backup for 35 days; deleted files leave nothing. */
const order = ["table", "secret", "bucket"];
const filesLast = (a: DataResource, b: DataResource) => order.indexOf(a.kind) - order.indexOf(b.kind);
