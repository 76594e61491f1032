import { policy, workerPath } from "./lib/trusted-types.ts";

/** Registers the service worker (`service-worker/`), by which the page opens without a network. */

/**
 * `script` is the page's own script, which tells its build. A worker of a newer build takes over from this page if the page
 * is of that build, too; otherwise it waits until the page is gone.
 */
export async function registerServiceWorker(script: string): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.register(policy.createScriptURL(workerPath), {
    updateViaCache: "none",
  });
  const offer = (worker: ServiceWorker | null) => worker?.postMessage({ script });
  offer(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const next = registration.installing;
    next?.addEventListener("statechange", () => next.state === "installed" && offer(next));
  });
}
