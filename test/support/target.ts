/** Where the cases of one run act: the host's address and what its functions have in their environment. */
export interface Target {
  kind: "local" | "deployed";
  url: string;
  /** The push bouncer that the fleet talks to: a stand-in. */
  bouncerUrl: string;
  /** Sent instead of the URL's own host name: an emulated gateway tells its APIs apart by it. */
  hostHeader?: string;
  environment: Record<string, string>;
}

declare module "vitest" {
  export interface ProvidedContext {
    target: Target;
  }
}
