import { effect } from "@preact/signals";
import { t } from "../../base/languages/language.ts";
import { call, credentials, sessionSignal } from "../../session/session.ts";
import { registrations } from "../../session/store.ts";
import { signedInAccount } from "../../session/unsent/unsent-messages.ts";
import { closeNotifications } from "./notify.ts";

/** Notifications of this browser while the page is closed, by Web Push (`service-worker/notifications.ts`). */

/**
 * - `unsupported`: this browser cannot be notified, or the page is served without HTTPS
 * - `uninstalled`: it can once the page is installed as an app, as on iOS
 * - `denied`: the user has forbidden it in the browser
 */
export type PushState = "unsupported" | "uninstalled" | "denied" | "off" | "on";

export const pushState = sessionSignal<PushState>("off");

const permissionNow = () => (typeof Notification === "undefined" ? "denied" : Notification.permission);
/** Whether the user lets this page show notifications, as of the last `updatePushState`. */
export const permission = sessionSignal(permissionNow());

/** The account whose messages this browser is notified of. */
const storageKey = "skein-notified-account";

const findSubscription = async () => (await navigator.serviceWorker?.getRegistration())?.pushManager?.getSubscription();

async function stateNow(): Promise<PushState> {
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || typeof Notification === "undefined") {
    // Only Safari on iOS has this property; it is true in an installed app.
    return (navigator as { standalone?: boolean }).standalone === false ? "uninstalled" : "unsupported";
  }
  if (Notification.permission === "denied") return "denied";
  return (await findSubscription()) ? "on" : "off";
}

export const updatePushState = async (): Promise<void> => {
  permission.value = permissionNow();
  pushState.value = await stateNow();
};

/** Asks for the permission, subscribes this browser, and tells the server. Throws if browser or server refuse. */
export async function subscribeToPush(): Promise<void> {
  if ((await Notification.requestPermission()) === "granted") await subscribe();
  await updatePushState();
}

/** The worker may have failed to register. */
const workerTimeoutMs = 15_000;

async function subscribe(): Promise<void> {
  // The page registers the service worker once it has loaded, so that there may be none yet.
  const registration = await Promise.race([
    navigator.serviceWorker.ready,
    new Promise<undefined>((resolve) => setTimeout(resolve, workerTimeoutMs)),
  ]);
  if (!registration) throw new Error(t("This browser cannot be notified while Skein is closed."));
  const { application_server_key } = await call("GET /web_push/key");
  const before = await registration.pushManager.getSubscription();
  // A subscription belongs to one key: another server at this address, or a replaced secret, needs another one.
  const isCurrent = before && keyOf(before) === application_server_key;
  if (before && !isCurrent) await before.unsubscribe();
  const subscription = isCurrent
    ? before
    : await registration.pushManager
        .subscribe({ userVisibleOnly: true, applicationServerKey: application_server_key })
        .catch((error: unknown) => {
          throw new Error(t("The browser cannot reach its push service."), { cause: error });
        });
  const { endpoint = "", keys: { p256dh = "", auth = "" } = {} } = subscription.toJSON();
  localStorage.setItem(storageKey, signedInAccount.value ?? "");
  await call("POST /web_push/subscriptions", { endpoint, p256dh, auth });
}

/** The key with which a subscription was made, in base64url. */
const keyOf = ({ options: { applicationServerKey: key } }: PushSubscription) =>
  key &&
  btoa(String.fromCharCode(...new Uint8Array(key)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/**
 * Ends this browser's notifications and closes those that it shows, because the next user of the browser must not read them. Also
 * where the server cannot be reached: its requests then fail at the push service.
 */
export async function unsubscribeFromPush(): Promise<void> {
  localStorage.removeItem(storageKey);
  await closeNotifications(() => true);
  const subscription = await findSubscription();
  if (!subscription) return;
  const { endpoint } = subscription;
  await Promise.allSettled([
    subscription.unsubscribe(),
    (async () => credentials() && call("DELETE /web_push/subscriptions", { endpoint }))(),
  ]);
  await updatePushState();
}

/**
 * Keeps the subscription of this browser with the current key of its account, and subscribes again where the browser or a failure
 * ended it; another account's is ended.
 */
async function renew(): Promise<void> {
  await updatePushState();
  const account = localStorage.getItem(storageKey);
  if (account !== signedInAccount.value) {
    if (account !== null || pushState.value === "on") await unsubscribeFromPush();
    return;
  }
  if (pushState.value === "on" || (pushState.value === "off" && Notification.permission === "granted")) {
    await subscribe();
    await updatePushState();
  }
}

/** Renews the subscription whenever the page has another key; returns a function that stops this. */
export function startPush(): () => void {
  let renewedKey: string | undefined;
  return effect(() => {
    const apiKey = registrations.value > 0 ? credentials()?.apiKey : undefined;
    if (apiKey === undefined || apiKey === renewedKey) return;
    renewedKey = apiKey;
    // What fails here is repeated at the next start.
    renew().catch((error: unknown) => console.warn("Notifications could not be renewed:", error));
  });
}
