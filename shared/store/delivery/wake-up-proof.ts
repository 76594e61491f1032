import { getItem } from "../table/table.ts";
import { updateItem } from "../table/transactions.ts";

/**
 * The mark that API Gateway's wake-up route was seen to work once: a client that waited there was sent on when its queue
 * was notified. Whoever saw it writes it (`npm run smoke`); until then clients wait in functions.
 */
export interface WakeUpProof {
  /** UNIX seconds. */
  provedAt: number;
}

const key = { pk: "FLEET", sk: "WAKEUPROUTE" };

/** 0.5 read units. */
export const findWakeUpProof = () => getItem<WakeUpProof>(key, { mayLag: true });

/** 1 write unit. */
export const putWakeUpProof = () => updateItem(key, { set: { provedAt: Math.floor(Date.now() / 1000) } });
