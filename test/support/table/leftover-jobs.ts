import type { Shape, Values } from "../../../shared/base/schema/params.ts";
import type { JobKind } from "../../../shared/services/jobs/queues.ts";
import { listOutbox, outboxShards } from "../../../shared/store/delivery/outbox.ts";

/** Runs the jobs of a kind that are left in the outbox, in this process and without waiting for the sweep. */
export async function runLeftoverJobs<S extends Shape>(
  { name }: JobKind<S>,
  work: (job: Values<S>) => Promise<void>,
): Promise<void> {
  for (let shard = 0; shard < outboxShards; shard++)
    for (const entry of await listOutbox(shard, Date.now() + 1000, 500)) {
      const { kind, job } = JSON.parse(entry.body);
      if (kind === name) await work(job);
    }
}
