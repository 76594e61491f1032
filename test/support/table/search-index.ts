import { searchIndex } from "../../../shared/messaging/messages/search/indexing.ts";
import { consumeLog } from "../../../shared/services/jobs/log-consumer.ts";
import { cursors, findCursor } from "../../../shared/store/log/cursors.ts";
import { readHead } from "../../../shared/store/log/log.ts";
import { eventually } from "../waiting.ts";

/** Waits until the index contains everything in the log, whichever worker updates it. */
export async function waitForSearchIndex(): Promise<void> {
  const { event } = await readHead();
  await eventually(async () => {
    await consumeLog(searchIndex);
    return ((await findCursor(cursors.search))?.sequence ?? 0) >= event;
  });
}
