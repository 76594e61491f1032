/// <reference lib="webworker" />
import {
  buildCaches,
  cacheNameOf,
  isCacheable,
  mayDeleteOthers,
  networkFirst,
  otherCaches,
  type Shell,
  strategyOf,
} from "./caching.ts";
import { listenForNotifications } from "./notifications.ts";

/**
 * Caches the web client's page, scripts and styles, so that it opens without a network. It caches nothing else: no message,
 * no key, no personal data.
 *
 * A new build's worker waits until all pages are closed, as browsers do by default; until then, the old one serves the new
 * build's files, too. The new one does not call `skipWaiting()`: Chromium puts the exchange off while the old worker has
 * requests, and makes it amid a later navigation, which then may never finish (seen with developer tools attached).
 */

declare const self: ServiceWorkerGlobalScope;
/** Defined by the build (`infra/build/web-client.ts`). */
declare const SKEIN_SHELL: Shell;

const shell = SKEIN_SHELL;
/** How long a navigation waits for the network before the cached page opens. */
const pageWaitMs = 4000;

/** Static routes, where the browser supports them: requests to the API then do not start this worker. */
interface RoutedInstallEvent extends ExtendableEvent {
  addRoutes?(rules: readonly { condition: { urlPattern: { pathname: string } }; source: "network" }[]): Promise<void>;
}

self.addEventListener("install", (event: RoutedInstallEvent) => {
  event.addRoutes?.([{ condition: { urlPattern: { pathname: "/api/*" } }, source: "network" }]).catch(() => {});
  event.waitUntil(precache());
});

self.addEventListener("activate", (event) => {
  // Controls the page that registered the first worker, too: the next build's worker only waits for controlled pages.
  event.waitUntil(Promise.all([deleteOtherCaches(), self.clients.claim()]));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const strategy = strategyOf(request, self.location.origin);
  if (strategy === "page") event.respondWith(networkFirst(fetch(request), findPage, pageWaitMs));
  if (strategy === "file") event.respondWith(cacheFirst(request));
});

listenForNotifications();

self.addEventListener("message", (event) => {
  const { script } = event.data as { script: string };
  event.waitUntil(deleteOthersOnceUnused(script));
});

async function precache(): Promise<void> {
  const cache = await caches.open(cacheNameOf(shell));
  const page = await fetch("/", { cache: "no-cache", credentials: "omit" });
  // During a deployment, page and worker may be of different builds. The browser tries again at a later navigation.
  if (!isCacheable(page) || !(await page.clone().text()).includes(shell.script))
    throw new Error("The page is of another build");
  await cache.addAll(shell.files);
  // Last, because a build whose page is cached is complete.
  await cache.put("/", page);
}

async function deleteOtherCaches(): Promise<void> {
  await Promise.all(otherCaches(await caches.keys(), shell).map((name) => caches.delete(name)));
}

/** The newest complete build: its cache and its page. A newer build than this worker's is there while its worker waits. */
async function newestBuild(): Promise<{ cacheName: string; page: Response } | undefined> {
  for (const cacheName of buildCaches(await caches.keys()).reverse()) {
    const page = await caches.match("/", { cacheName, ignoreVary: true });
    if (page) return { cacheName, page };
  }
  return undefined;
}

const findPage = async () => (await newestBuild())?.page;

/** Looks in the caches of all builds, because the names of these files change with their content. */
async function cacheFirst(request: Request): Promise<Response> {
  const cached = await caches.match(request, { ignoreVary: true });
  if (cached) return cached;
  const reply = await fetch(request);
  const build = isCacheable(reply) ? await newestBuild() : undefined;
  if (build) await (await caches.open(build.cacheName)).put(request, reply.clone());
  return reply;
}

async function deleteOthersOnceUnused(script: string): Promise<void> {
  // After a reload, the previous page may still be among the windows for a moment.
  for (const pauseMs of [0, 1000, 3000, 10_000]) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    const openPages = windows.map(({ url }) => url);
    if (mayDeleteOthers(script, openPages, shell)) return deleteOtherCaches();
  }
}
