import { aPrivateHost } from "../support/private-host.ts";

/** Where a client program finds a running Skein. */
export interface Entrance {
  url: string;
  close(): unknown;
}

/** A host of the file's own whose clients wait at bells, over redirects: from now on people are made there. */
export async function hostWithBells(): Promise<Entrance> {
  const host = await aPrivateHost({ SKEIN_WAITING: "bell" });
  Object.assign(process.env, host.environment);
  return { url: host.url, close: host.stop };
}
