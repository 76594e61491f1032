import { ConditionFailed } from "../store/transactions.ts";
import { keepLonger } from "../store/uploads.ts";

/**
 * Has files that no message links yet kept until four weeks after `until` (UNIX seconds), when a scheduled message will
 * link them. Files that messages link stay as long as these. 4 write units each.
 */
export async function keepFilesUntil(pathIds: readonly string[], until: number): Promise<void> {
  await Promise.all(
    pathIds.map((pathId) =>
      keepLonger(pathId, until * 1000).catch((error: unknown) => {
        if (!(error instanceof ConditionFailed)) throw error;
      }),
    ),
  );
}
