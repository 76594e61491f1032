import { extendUnclaimed } from "../../store/organization/uploads.ts";
import { succeeds } from "../../store/table/conflicts.ts";

/**
 * Protects files to which a scheduled message will link from the sweep, until four weeks after `deliverAt` (UNIX seconds).
 * Costs 4 write units for each file.
 */
export async function retainFilesForDelivery(pathIds: readonly string[], deliverAt: number): Promise<void> {
  // A file that is linked, kept longer already, or deleted needs no protection.
  await Promise.all(pathIds.map((pathId) => succeeds(extendUnclaimed(pathId, deliverAt * 1000))));
}
