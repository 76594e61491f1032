/// <reference lib="webworker" />
import {
  icon,
  isPageVisible,
  needsDisplay,
  type Pushed,
  pageToOpenIn,
  parsePushed,
  tagOf,
} from "../base/lib/pushed.ts";

/** Shows what the server sends by Web Push, also while no page is open, and opens what is clicked. */

declare const self: ServiceWorkerGlobalScope;

export function listenForNotifications(): void {
  self.addEventListener("push", (event) => {
    const pushed = parsePushed(event.data?.text() ?? "");
    if (pushed) event.waitUntil(receive(pushed));
  });
  // The page's own notifications, too.
  self.addEventListener("notificationclick", (event) => {
    event.notification.close();
    event.waitUntil(open(String(event.notification.data?.hash ?? "")));
  });
}

const windows = () => self.clients.matchAll({ type: "window", includeUncontrolled: true });

async function receive(pushed: Pushed): Promise<void> {
  if (pushed.type === "remove") {
    const tags = new Set(pushed.message_ids.map(tagOf));
    for (const notification of await self.registration.getNotifications())
      if (tags.has(notification.tag)) notification.close();
    return;
  }
  // Other browsers require that each push shows something, unless a page is visible.
  const subscription = await self.registration.pushManager.getSubscription();
  const mayStaySilent = subscription === null || !needsDisplay(subscription.endpoint);
  if (mayStaySilent && isPageVisible(await windows())) return;
  const { title, content, message_id, hash } = pushed;
  await self.registration.showNotification(title, {
    ...(content !== undefined && { body: content }),
    tag: tagOf(message_id),
    icon,
    data: { hash },
  });
}

async function open(hash: string): Promise<void> {
  const page = pageToOpenIn(await windows());
  if (!page) {
    await self.clients.openWindow(`/${hash}`);
    return;
  }
  page.postMessage({ open: hash });
  await page.focus();
}
