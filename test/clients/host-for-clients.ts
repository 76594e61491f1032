import { aPrivateHost } from "../support/hosts/private-host.ts";

/** A host that external client programs can reach. */
export interface HostForClients {
  url: string;
  close(): unknown;
}

/** Starts a private host whose clients wait at wake-up queues, with redirects; people are created on it from now on. */
export async function hostWithWakeUpQueues(): Promise<HostForClients> {
  const host = await aPrivateHost({ SKEIN_WAITING: "wake-up-queue" });
  Object.assign(process.env, host.environment);
  return { url: host.url, close: host.stop };
}
