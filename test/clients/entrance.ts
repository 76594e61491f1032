import { aPrivateHost } from "../support/hosts/private-host.ts";

/** Starts a host for external client programs. */
export interface Entrance {
  url: string;
  close(): unknown;
}

/** Starts a private host whose clients wait at wake-up queues, with redirects; people are created on it from now on. */
export async function hostWithWakeUpQueues(): Promise<Entrance> {
  const host = await aPrivateHost({ SKEIN_WAITING: "wake-up-queue" });
  Object.assign(process.env, host.environment);
  return { url: host.url, close: host.stop };
}
