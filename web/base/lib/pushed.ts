/** What the service worker does with notifications, apart from the browser. */

/** What the server sends by Web Push (`POST /web_push/subscriptions`). */
export type Pushed =
  | { type: "message"; message_id: number; title: string; content?: string; hash: string }
  | { type: "remove"; message_ids: readonly number[] };

/** A notification's content; undefined if this build does not know it. */
export function parsePushed(text: string): Pushed | undefined {
  try {
    const pushed = JSON.parse(text) as Pushed;
    if (pushed.type === "message") return typeof pushed.title === "string" ? pushed : undefined;
    return pushed.type === "remove" && Array.isArray(pushed.message_ids) ? pushed : undefined;
  } catch {
    return undefined;
  }
}

export const icon = "/client/icon-192.png";

/** The tag of a message's notification: one with the same tag takes its place, also the page's own. */
export const tagOf = (messageId: number) => String(messageId);

interface Window {
  url: string;
  visibilityState: string;
  focused: boolean;
}

const isPage = ({ url }: Window) => new URL(url).pathname === "/";

/** Whether somebody sees the web client's page, which shows notifications itself. */
export const isPageVisible = (windows: readonly Window[]) =>
  windows.some((window) => isPage(window) && window.visibilityState === "visible");

/**
 * Whether the browser takes the permission back after a few pushes that show nothing, as Safari does, even while a page is visible.
 * The page's own notification has the same tag, so that one replaces the other.
 */
export const needsDisplay = (endpoint: string) => new URL(endpoint).hostname.endsWith(".push.apple.com");

/** The page in which a notification is opened: the one that was used last. Browsers list that first. */
export const pageToOpenIn = <W extends Window>(windows: readonly W[]): W | undefined =>
  windows.find((window) => isPage(window) && window.focused) ?? windows.find(isPage);
