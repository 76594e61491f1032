import { randomUUID } from "node:crypto";
import { createWakeUpQueue, deleteWakeUpQueue, sendWakeUp } from "../../shared/jobs/wake-up-queues.ts";
import { wakeUpQueuesUrl } from "../../shared/limits.ts";
import { findWakeUpProof, putWakeUpProof } from "../../shared/store/delivery/wake-up-proof.ts";
import type { Operator } from "./smoke-test.ts";

/** The operator of the fleet whose names stand in this process's environment, with the credentials found there. */
export const operator: Operator = {
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
