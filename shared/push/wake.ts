import type { Realm } from "../organization/access.ts";
import { isShownAnything } from "../store/pushed-messages.ts";
import { tellsDevices } from "./followed.ts";
import { followLogJob } from "./jobs.ts";

/**
 * Has the log looked at soon; nothing where nobody has a device. The log itself is what notifications follow from: a
 * wake that is lost costs a minute, until the recurring one.
 */
export async function wakePush(realm: Realm): Promise<void> {
  if (!tellsDevices(realm)) return;
  try {
    const { enqueue } = await import("../jobs/queues.ts");
    await enqueue(followLogJob, {});
  } catch (error) {
    console.error(JSON.stringify({ push: "no wake", error: String(error) }));
  }
}

/** The same after somebody has read messages, if their devices show any; 0.5 read units to know. */
export async function wakeForReader(realm: Realm, userId: number): Promise<void> {
  if (tellsDevices(realm) && (await isShownAnything(userId))) await wakePush(realm);
}
