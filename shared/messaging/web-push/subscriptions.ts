import { creationLimits } from "../../base/creation-limits.ts";
import { loadRealm } from "../../services/organization/access.ts";
import { type Browser, deleteBrowser, listBrowsers, putBrowser } from "../../store/delivery/browsers.ts";
import { commit } from "../../store/log/log.ts";
import { markBrowsersUsed, startNotificationCursor } from "../notifications/notifications-enabled.ts";

/** How many browsers of a user are notified at most. Another one takes the place of the oldest. */
export const { max: maxBrowsers } = creationLimits.browser;

/**
 * Subscribes a browser; an unchanged subscription costs 1 read unit and writes nothing. Otherwise 6 write units, and 5 more for
 * the organization's first.
 */
export async function subscribeBrowser(browser: Browser): Promise<void> {
  const [existing, { browsersUsed }] = await Promise.all([listBrowsers(browser.userId), loadRealm()]);
  const before = existing.find(({ endpoint }) => endpoint === browser.endpoint);
  const isUnchanged = (["p256dh", "auth", "keyHash"] as const).every((name) => before?.[name] === browser[name]);
  if (isUnchanged) return;
  const others = existing.filter((other) => other !== before).sort((a, b) => b.createdAt - a.createdAt);
  if (!browsersUsed) await startNotificationCursor();
  await commit({
    writes: [
      putBrowser(browser),
      ...others.slice(maxBrowsers - 1).map(deleteBrowser),
      // The cursor must exist before notifications are enabled.
      ...(browsersUsed ? [] : [markBrowsersUsed()]),
    ],
  });
}

/** Ends a browser's subscription. Idempotent. */
export const unsubscribeBrowser = (id: Pick<Browser, "userId" | "endpoint">): Promise<void> =>
  commit({ writes: [deleteBrowser(id)] });

/** Ends the subscriptions of all of a user's browsers. Idempotent. */
export async function removeBrowsers(userId: number): Promise<void> {
  const browsers = await listBrowsers(userId);
  if (browsers.length > 0) await commit({ writes: browsers.map(deleteBrowser) });
}
