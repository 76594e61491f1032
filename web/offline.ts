import { policy, workerPath } from "./lib/trusted-types.ts";

/** Registers the service worker (`service-worker/`), which opens the page without a network. */

/**
 * `script` is the URL of the page's own script, whose hash identifies the build. The new worker of a later build compares it
 * with its own: it takes over at once if this page, the only one open, is of the same build; otherwise it waits until all
 * pages are closed. Throws if the browser refuses the registration.
 */
export async function registerServiceWorker(script: string): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.register(policy.createScriptURL(workerPath), {
    updateViaCache: "none",
  });
  const announceBuild = (worker: ServiceWorker | null) => worker?.postMessage({ script });
  announceBuild(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const next = registration.installing;
    next?.addEventListener("statechange", () => next.state === "installed" && announceBuild(next));
  });
}
