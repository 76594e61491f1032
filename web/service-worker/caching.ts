/** The service worker's decisions, apart from the browser: what is served from where, and when a build's files are deleted. */

/**
 * - `page`: the web client's page, from the network if it answers soon, else from the cache
 * - `file`: a file whose name changes with its content, from the cache if it is there
 * - `network`: everything else, which the worker neither handles nor caches
 */
export type Strategy = "page" | "file" | "network";

/** A file of the web client with a hash in its name (`infra/build/web-client.ts`). */
const hashedFile = /^\/client\/[\w-]+-[A-Z0-9]{8}\.\w+$/;

export function strategyOf(request: { method: string; mode: string; url: string }, ownOrigin: string): Strategy {
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== ownOrigin) return "network";
  if (request.mode === "navigate") return pathname === "/" ? "page" : "network";
  return hashedFile.test(pathname) ? "file" : "network";
}

/** Whether a reply may be cached: it is complete, from this origin, and not from a redirect. */
export const isCacheable = ({ status, type, redirected }: { status: number; type: string; redirected: boolean }) =>
  status === 200 && type === "basic" && !redirected;

/** The reply from the network; the cached one where the network fails, answers with a server error, or takes too long. */
export async function networkFirst<Reply extends { status: number }>(
  network: Promise<Reply>,
  findCached: () => Promise<Reply | undefined>,
  waitMs: number,
): Promise<Reply> {
  const timeout = new Promise<undefined>((resolve) => setTimeout(resolve, waitMs));
  // A failure counts as no reply here; the last line throws it if there is no cached reply either.
  const reply = await Promise.race([network.catch(() => undefined), timeout]);
  if (reply && reply.status < 500) return reply;
  return (await findCached()) ?? network;
}

/** The files of a build. */
export interface Shell {
  /** Changes with each build. */
  build: string;
  /** The path of the page's script. */
  script: string;
  /** The paths of the client's scripts and styles, including lazily loaded ones. */
  files: readonly string[];
}

const cachePrefix = "skein-shell-";
export const cacheNameOf = ({ build }: Shell) => cachePrefix + build;

/** The caches of builds, the oldest first, among `names` in the order in which they were created. */
export const buildCaches = (names: readonly string[]) => names.filter((name) => name.startsWith(cachePrefix));

/** The caches of other builds. */
export const otherCaches = (names: readonly string[], shell: Shell) =>
  buildCaches(names).filter((name) => name !== cacheNameOf(shell));

/**
 * Whether the files of other builds may be deleted while the page with `script` is open: only if that page is of this build and
 * no other page, which might be of another, is open.
 */
export const mayDeleteOthers = (script: string, openPages: readonly string[], shell: Shell) =>
  new URL(script).pathname === shell.script && openPages.filter((url) => new URL(url).pathname === "/").length <= 1;
