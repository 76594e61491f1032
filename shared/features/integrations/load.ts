import type { Integration } from "./integration.ts";

/**
 * Loads an integration by its name in the URL; undefined if there is none. The bundle has a file for each, so that a function
 * loads only those that are called.
 */
export async function findIntegration(name: string): Promise<Integration | undefined> {
  if (!/^[a-z0-9_]{1,60}$/.test(name)) return undefined;
  try {
    const { service } = (await import(`./webhooks/${name}/service.ts`)) as { service: Integration };
    return service;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Node's error, and that of esbuild's bundle, for a file that does not exist. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND" ||
    error.message.startsWith("Module not found in bundle"));
