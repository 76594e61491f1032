import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { type Address, engineCommand, enginePath, runBehindProxy } from "./engine-proxy.ts";

/**
 * Runs the embedded engine with a limited throughput, as DynamoDB's: `limited-engine.ts <limits as JSON> <engine> <its
 * arguments>`. Calls above a limit are refused with DynamoDB's errors.
 */

/** Units in a second. */
export interface TableLimits {
  /** Write units of the whole table. */
  writes: number;
  /** Write units of one partition; DynamoDB's limit is 1,000. */
  partitionWrites: number;
  /** Read units of the whole table. */
  reads: number;
}

/** Units that accumulate while they are not used, for up to a fifth of a second. A call may run into debt. */
class Budget {
  readonly #perSecond: number;
  #units: number;
  #filledAt = performance.now();
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#units = perSecond / 5;
  }

  get isSpent(): boolean {
    const now = performance.now();
    const added = ((now - this.#filledAt) / 1000) * this.#perSecond;
    this.#units = Math.min(this.#perSecond / 5, this.#units + added);
    this.#filledAt = now;
    return this.#units <= 0;
  }

  spend(units: number): void {
    this.#units -= units;
  }
}

interface Attributes {
  pk?: { S: string };
}

/** The partitions that a call writes, once for each item. */
function writtenPartitions(operation: string, input: any): string[] {
  const items: { Item?: Attributes; Key?: Attributes }[] =
    operation === "TransactWriteItems"
      ? input.TransactItems.map((item: object) => Object.values(item)[0])
      : operation === "BatchWriteItem"
        ? Object.values<any[]>(input.RequestItems)
            .flat()
            .map((item) => Object.values<any>(item)[0])
        : [input];
  return items.map(({ Item, Key }) => (Item ?? Key)?.pk?.S ?? "");
}

const writes = /^(PutItem|UpdateItem|DeleteItem|BatchWriteItem|TransactWriteItems)$/;
const reads = /^(GetItem|BatchGetItem|Query)$/;

/** Forwards the calls for which there are units, and refuses the others. */
function limitingProxy(target: Address, limits: TableLimits): Server {
  const table = { writes: new Budget(limits.writes), reads: new Budget(limits.reads) };
  const partitions = new Map<string, Budget>();
  const partition = (pk: string) => {
    const known = partitions.get(pk) ?? new Budget(limits.partitionWrites);
    partitions.set(pk, known);
    return known;
  };
  const agent = new Agent({ keepAlive: true });

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await buffer(incoming);
    const operation = String(incoming.headers["x-amz-target"]).split(".").at(-1) ?? "";
    const isWrite = writes.test(operation);
    const tableBudget = isWrite ? table.writes : reads.test(operation) ? table.reads : undefined;
    const itemPartitions = isWrite ? writtenPartitions(operation, JSON.parse(String(body))) : [];
    const budgets = [...new Set(itemPartitions)].map(partition);
    if ([tableBudget, ...budgets].some((budget) => budget?.isSpent)) return refuse(outgoing, operation, itemPartitions);
    // Each item of a transaction costs twice as much. Charged before the call, so that concurrent calls see it.
    const unitsPerItem = operation === "TransactWriteItems" ? 2 : 1;
    for (const pk of itemPartitions) partition(pk).spend(unitsPerItem);
    const charged = itemPartitions.length * unitsPerItem;
    tableBudget?.spend(charged);
    const { status, headers, reply } = await forward(incoming, body);
    tableBudget?.spend(Math.max(0, unitsIn(reply) - charged));
    outgoing.writeHead(status, headers).end(reply);
  };

  const forward = ({ method, url, headers }: IncomingMessage, body: Buffer) =>
    new Promise<{ status: number; headers: IncomingMessage["headers"]; reply: Buffer }>((resolve, reject) => {
      const upstream = request({ ...target, agent, method, path: url, headers }, async (response) =>
        resolve({ status: response.statusCode ?? 500, headers: response.headers, reply: await buffer(response) }),
      );
      upstream.once("error", reject);
      upstream.end(body);
    });

  return createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
}

/** The units that a reply reports. */
function unitsIn(reply: Buffer): number {
  const { ConsumedCapacity = [] } = JSON.parse(String(reply) || "{}");
  return [ConsumedCapacity].flat().reduce((total, { CapacityUnits = 0 }) => total + CapacityUnits, 0);
}

function refuse(outgoing: ServerResponse, operation: string, itemPartitions: readonly string[]): void {
  const message = "The level of configured provisioned throughput was exceeded.";
  const error =
    operation === "TransactWriteItems"
      ? {
          __type: "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
          Message: "Transaction cancelled",
          CancellationReasons: itemPartitions.map(() => ({ Code: "ThrottlingError", Message: message })),
        }
      : { __type: "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException", message };
  outgoing.writeHead(400, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(error));
}

/** Writes a program into `folder` that starts the engine with these limits, and returns its path. */
export const limitedEngine = (folder: string, limits: TableLimits): string =>
  engineCommand(folder, import.meta.filename, [JSON.stringify(limits)], enginePath());

// After all declarations, which the proxy needs.
if (import.meta.main) {
  const [limits = "{}", ...engine] = process.argv.slice(2);
  await runBehindProxy(engine, (target) => limitingProxy(target, JSON.parse(limits)));
}
