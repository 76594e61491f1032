import { observeTableCalls, type TableCall, type TableResult } from "../../../shared/base/table-port/observe.ts";
import { throttled } from "../faults.ts";

/**
 * Loaded with `--import` into a host: limits the throughput of its table, as DynamoDB's is, to the `TableLimits` in
 * SKEIN_TEST_TABLE_LIMITS. Calls above a limit are refused with DynamoDB's errors.
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

/** The partitions that a call writes, once for each item; undefined for a read. */
function writtenPartitions({ name, request }: TableCall): string[] | undefined {
  switch (name) {
    case "update":
    case "delete":
      return [request.key.pk];
    case "batchWrite":
      return [...request.puts, ...request.deletes].map(({ pk }) => pk);
    case "transact":
      return request.writes.map((write) => (write.kind === "put" ? write.item : write.key).pk);
    default:
      return undefined;
  }
}

/** How often the SDK makes a call that is refused, and the pauses before it makes it again. */
const attempts = 3;
const retryMs = (failed: number) => Math.random() * 50 * 2 ** failed;

function limitTable(limits: TableLimits): void {
  const table = { writes: new Budget(limits.writes), reads: new Budget(limits.reads) };
  const partitions = new Map<string, Budget>();
  const partition = (pk: string) => {
    const known = partitions.get(pk) ?? new Budget(limits.partitionWrites);
    partitions.set(pk, known);
    return known;
  };

  async function attempt(call: TableCall, proceed: () => Promise<TableResult>): Promise<TableResult> {
    const written = writtenPartitions(call);
    const tableBudget = written ? table.writes : table.reads;
    const itemPartitions = written ?? [];
    const budgets = [...new Set(itemPartitions)].map(partition);
    if ([tableBudget, ...budgets].some((budget) => budget.isSpent)) throw throttled(call);
    // Each item of a transaction costs twice as much. Charged before the call, so that concurrent calls see it.
    const unitsPerItem = call.name === "transact" ? 2 : 1;
    for (const pk of itemPartitions) partition(pk).spend(unitsPerItem);
    const charged = itemPartitions.length * unitsPerItem;
    tableBudget.spend(charged);
    const result = await proceed();
    tableBudget.spend(Math.max(0, result.units - charged));
    return result;
  }

  observeTableCalls(async (call, proceed) => {
    for (let failed = 1; ; failed++)
      try {
        return await attempt(call, proceed);
      } catch (error) {
        // As the SDK, which repeats everything but canceled transactions.
        if (!/^Prov/.test((error as Error).name) || failed === attempts) throw error;
        await new Promise((resolve) => setTimeout(resolve, retryMs(failed)));
      }
  });
}

/** The environment and the arguments for Node with which a host's table has these limits. */
export const limitedTable = (limits: TableLimits) => ({
  env: { SKEIN_TEST_TABLE_LIMITS: JSON.stringify(limits) },
  nodeArgs: ["--import", import.meta.filename],
});

const { SKEIN_TEST_TABLE_LIMITS: limitsText } = process.env;
if (limitsText) limitTable(JSON.parse(limitsText));
