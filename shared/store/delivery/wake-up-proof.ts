import { nowSeconds } from "../../base/time.ts";
import { lagging } from "../table/consistency.ts";
import { getItem } from "../table/reads.ts";
import { updateItem } from "../table/single-writes.ts";

/**
 * Records that API Gateway's wake-up route works in this deployment: `npm run smoke` saw it answer a waiting client when
 * the client's queue received a message. Until then clients wait in functions.
 */
export interface WakeUpProof {
  /** UNIX seconds. */
  provedAt: number;
}

const key = { pk: "FLEET", sk: "WAKEUPROUTE" };

export const findWakeUpProof = () => getItem<WakeUpProof>(key, lagging);

export const putWakeUpProof = () => updateItem(key, { set: { provedAt: nowSeconds() } });
