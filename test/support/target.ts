import { inject } from "vitest";

/** Where the cases of a file act: the host's address and what its functions have in their environment. */
export interface Target {
  kind: "local" | "deployed";
  url: string;
  /** The push bouncer that the fleet talks to: a stand-in. */
  bouncerUrl: string;
  /** Sent instead of the URL's own host name: an emulated gateway tells its APIs apart by it. */
  hostHeader?: string;
  environment: Record<string, string>;
  /** Where a local host writes the e-mail that would have been sent. */
  mailFolder?: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    targets: Target[];
  }
}

/** The host that this worker's files share, one after the other: what one file does, the next one's queues do not hear. */
export function target(): Target {
  if (own) return own;
  const targets = inject("targets");
  const found = targets[(Number(process.env.VITEST_POOL_ID) - 1) % targets.length];
  if (!found) throw new Error("There is no host to act on.");
  return found;
}

let own: Target | undefined;

/** From here on this file acts on a private host; for files that have their modules to themselves (vitest.long.config.ts). */
export function actOn({ url, environment }: Pick<Target, "url" | "environment">): void {
  own = { ...target(), url, environment };
  Object.assign(process.env, environment);
}
