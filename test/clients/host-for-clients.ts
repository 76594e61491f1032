import { aPrivateHost } from "../support/hosts/private-host.ts";

/** A host that external client programs can reach. */
export interface HostForClients {
  url: string;
  close(): unknown;
}

/**
 * Starts a private host that redirects clients to wake-up queues, and sets the environment so that later calls of `aPerson`
 * create users on it.
 */
export async function hostWithWakeUpQueues(): Promise<HostForClients> {
  const host = await aPrivateHost({ SKEIN_WAITING: "wake-up-queue" });
  Object.assign(process.env, host.environment);
  return { url: host.url, close: host.stop };
}
