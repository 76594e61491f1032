import { extendUnclaimed } from "../store/organization/uploads.ts";
import { ConditionFailed } from "../store/table/transactions.ts";

/**
 * Protects unlinked files from the sweep until four weeks after `until` (UNIX seconds), when a scheduled message will link
 * to them. Linked files are kept as long as their messages. Costs 4 write units each.
 */
export async function retainFilesUntil(pathIds: readonly string[], until: number): Promise<void> {
  await Promise.all(
    pathIds.map((pathId) =>
      extendUnclaimed(pathId, until * 1000).catch((error: unknown) => {
        if (!(error instanceof ConditionFailed)) throw error;
      }),
    ),
  );
}
