import { inject } from "vitest";

/** The host under test. */
export interface Target {
  kind: "local" | "deployed";
  url: string;
  /** The URL of the push bouncer stand-in. */
  bouncerUrl: string;
  /** Sent as `Host`, by which MiniStack's gateway selects the API. */
  hostHeader?: string;
  /** The functions' environment variables. */
  environment: Record<string, string>;
  /** The folder to which a local host writes e-mail. */
  mailFolder?: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    targets: Target[];
  }
}

/** The host of this worker, which its test files use one after another. */
export function target(): Target {
  if (privateTarget) return privateTarget;
  const targets = inject("targets");
  const found = targets[(Number(process.env.VITEST_POOL_ID) - 1) % targets.length];
  if (!found) throw new Error("There is no host to act on.");
  return found;
}

let privateTarget: Target | undefined;

/** Makes this file use a private host; only for files of the project `single` (test/vitest.long.config.ts). */
export function useTarget({ url, environment }: Pick<Target, "url" | "environment">): void {
  privateTarget = { ...target(), url, environment };
  Object.assign(process.env, environment);
}
