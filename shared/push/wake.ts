import type { Realm } from "../organization/access.ts";
import { pushBouncerUrl } from "../settings.ts";
import { followLogJob } from "./jobs.ts";

/**
 * Has the log looked at soon; nothing where nobody has a device. The log itself is what notifications follow from: a
 * wake that is lost costs a minute, until the recurring one.
 */
export async function wakePush({ pushUsed }: Realm): Promise<void> {
  if (!pushUsed || !pushBouncerUrl()) return;
  try {
    const { enqueue } = await import("../jobs/queues.ts");
    await enqueue(followLogJob, {});
  } catch (error) {
    console.error(JSON.stringify({ push: "no wake", error: String(error) }));
  }
}
