import {
  listOutbox,
  newOutboxEntry,
  type OutboxEntry,
  outboxShards,
  putOutboxEntry,
} from "../../../shared/store/delivery/outbox.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import { remove } from "../../../shared/store/table/writes.ts";

/** Makes outbox entries a minute older, so that the sweep considers the functions that wrote them dead, and sends the jobs. */
export async function ageOutbox(isConcerned: (entry: OutboxEntry) => boolean): Promise<void> {
  for (let shard = 0; shard < outboxShards; shard++) {
    const entries = await listOutbox(shard, Date.now() + 1000, 500);
    for (const entry of entries.filter(isConcerned)) {
      const { pk, sk } = entry as OutboxEntry & { pk: string; sk: string };
      const agedEntry = { ...newOutboxEntry(entry.queue, entry.body), writtenAt: entry.writtenAt - 60_000 };
      await transact([remove({ pk, sk }), putOutboxEntry(agedEntry)]);
    }
  }
}
