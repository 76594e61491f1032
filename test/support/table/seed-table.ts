import type { Item } from "../../../shared/base/table-port/port.ts";
import type { PrivateHost } from "../hosts/private-host.ts";
import { tableIn } from "./process-table.ts";

/** The table's limit for one call. */
const maxBatchItems = 25;

/** The table of a host in another process. */
export const tableOf = ({ environment }: Pick<PrivateHost, "environment">) =>
  tableIn(environment.SKEIN_TABLE_FILE as string);

/** Writes any number of items into the table of a host. */
export async function seedTable(host: Pick<PrivateHost, "environment">, items: readonly Item[]): Promise<void> {
  const table = tableOf(host);
  let written: Promise<unknown> = Promise.resolve();
  for (let start = 0; start < items.length; start += maxBatchItems) {
    const writing = table.batchWrite({ puts: items.slice(start, start + maxBatchItems), deletes: [] });
    // One batch is synced while the next is prepared.
    await written;
    written = writing;
  }
  await written;
}
