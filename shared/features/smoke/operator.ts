import { randomUUID } from "node:crypto";
import { wakeUpQueuesUrl } from "../../base/environment.ts";
import { createWakeUpQueue, deleteWakeUpQueue, sendWakeUp } from "../../services/jobs/wake-up-queues.ts";
import { findWakeUpProof, putWakeUpProof } from "../../store/delivery/wake-up-proof.ts";
import type { SmokeOperator } from "./smoke-test.ts";

/** Acts as the operator of the fleet that this process's environment names, with its AWS credentials. */
export const operator: SmokeOperator = {
  makeWakeUpQueue: async () => {
    if (!wakeUpQueuesUrl()) return undefined;
    const queueId = randomUUID();
    await createWakeUpQueue(queueId);
    return { queueId, notify: () => sendWakeUp(queueId), remove: () => deleteWakeUpQueue(queueId) };
  },
  markProved: async () => {
    await putWakeUpProof();
  },
  isProved: async () => (await findWakeUpProof()) !== undefined,
};
