import { resumeTopicDeletion } from "../../shared/channels/delete-topic.ts";
import { continueTopicDeletion } from "../../shared/channels/jobs.ts";
import { worker } from "../../shared/jobs/worker.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { wakePush } from "../../shared/push/wake.ts";

/** Finishes deletions of topics whose requests died or ran out of time. */
export const handler = worker(
  {
    job: continueTopicDeletion,
    attempts: 10,
    timeoutSeconds: 300,
    batchSize: 1,
    uses: { table: "readWrite", sends: ["message-leftovers", "push-wakes"], pushBouncer: true },
  },
  async ({ deletion_id }) => {
    await resumeTopicDeletion(deletion_id);
    await wakePush(await accessRealm());
  },
);
