import { policy, workerPath } from "./trusted-types.ts";

/** Registers the service worker (`service-worker/`), which opens the page without a network. */

/**
 * `script` is the URL of the page's own script, whose hash identifies the build. A newly installed worker waits until all pages
 * are closed; it is told the build of this page, so that it can delete the files of builds that no page is of. Throws if the
 * browser refuses the registration.
 */
export async function registerServiceWorker(script: string): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.register(policy.createScriptURL(workerPath), {
    updateViaCache: "none",
  });
  const announceBuild = (worker: ServiceWorker | null) => worker?.postMessage({ script });
  announceBuild(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const installing = registration.installing;
    installing?.addEventListener("statechange", () => installing.state === "installed" && announceBuild(installing));
  });
}
