import { aPrivateHost } from "../support/hosts/private-host.ts";

/** Where a client program finds a running Skein. */
export interface Entrance {
  url: string;
  close(): unknown;
}

/** A host of the file's own whose clients wait at wake-up queues, over redirects: from now on people are made there. */
export async function hostWithWakeUpQueues(): Promise<Entrance> {
  const host = await aPrivateHost({ SKEIN_WAITING: "wake-up-queue" });
  Object.assign(process.env, host.environment);
  return { url: host.url, close: host.stop };
}
