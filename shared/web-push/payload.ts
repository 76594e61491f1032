/** What is sent to a browser by Web Push: the server sends it, and the web client's service worker receives it. */
export type BrowserPayload =
  | {
      type: "message";
      message_id: number;
      /** The sender, and the conversation if it is not the sender's alone. */
      title: string;
      /** Absent: the user does not want it to be shown. */
      content?: string;
      /** Where the message is, below the server's address. */
      hash: string;
    }
  | { type: "remove"; message_ids: number[] };

/**
 * Whether the browser takes the permission back when notifications show nothing, as Safari does after three of them, even while a
 * page is visible. Others tolerate some. See
 * https://developer.apple.com/documentation/usernotifications/sending-web-push-notifications-in-web-apps-and-browsers.
 */
export const needsDisplay = (endpoint: string) => new URL(endpoint).hostname.endsWith(".push.apple.com");
