import { extendUnclaimed } from "../store/organization/uploads.ts";
import { ConditionFailed } from "../store/table/transactions.ts";

/**
 * Protects files to which a scheduled message will link from the sweep, until four weeks after `deliverAt` (UNIX seconds).
 * Costs 4 write units for each file.
 */
export async function retainFilesForDelivery(pathIds: readonly string[], deliverAt: number): Promise<void> {
  await Promise.all(
    pathIds.map((pathId) =>
      extendUnclaimed(pathId, deliverAt * 1000).catch((error: unknown) => {
        // The file is linked, kept longer already, or deleted: there is nothing to protect.
        if (!(error instanceof ConditionFailed)) throw error;
      }),
    ),
  );
}
