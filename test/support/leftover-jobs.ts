import { listOutbox, outboxShards } from "../../shared/store/outbox.ts";

/** Does now and in this process what the sweeper of the outbox would send to a queue. */
export async function doLeftJobs(queue: string, work: (body: any) => Promise<void>): Promise<void> {
  for (let shard = 0; shard < outboxShards; shard++)
    for (const entry of await listOutbox(shard, Date.now() + 1000, 500))
      if (entry.queue === queue) await work(JSON.parse(entry.body));
}
