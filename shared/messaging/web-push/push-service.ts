import { secondsPerDay } from "../../base/time.ts";
import type { Browser } from "../../store/delivery/browsers.ts";
import { OutgoingError, sendOutgoing } from "../outgoing-webhooks/request.ts";
import { encryptFor } from "./encrypt.ts";
import { vapidAuthorization } from "./vapid.ts";

/** Requests to the push services of browsers' vendors (RFC 8030), whose URLs come from clients. */

const deadlineMs = 5000;
/** Only the status of a reply counts. */
const maxReplyBytes = 64 * 1024;
/** How long a push service keeps a notification for a browser that it cannot reach. */
const keptSeconds = secondsPerDay;

/** How a push service takes a notification: "ended" when the subscription is of no more use, "refused" when only this one is. */
export type Outcome = "sent" | "ended" | "refused";

/** What the service worker receives (`web/base/lib/pushed.ts`). */
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

/** Sends a notification to a browser. Throws to be retried: for 429, 5xx, and a service that cannot be reached. */
export async function sendToBrowser(browser: Browser, payload: BrowserPayload): Promise<Outcome> {
  const { endpoint } = browser;
  try {
    const { status } = await sendOutgoing({
      url: endpoint,
      method: "POST",
      headers: {
        authorization: await vapidAuthorization(endpoint),
        "content-encoding": "aes128gcm",
        "content-type": "application/octet-stream",
        ttl: String(keptSeconds),
        urgency: payload.type === "message" ? "high" : "low",
      },
      body: encryptFor(browser, JSON.stringify(payload)),
      deadlineMs,
      maxBytes: maxReplyBytes,
    });
    if (status >= 200 && status < 300) return "sent";
    if (status === 429 || status >= 500)
      throw new Error(`The push service of ${new URL(endpoint).host} replied ${status}`);
    // 401 and 403: the browser has subscribed with another server's key, or with this one's before its secret was replaced.
    return [401, 403, 404, 410].includes(status) ? "ended" : "refused";
  } catch (error) {
    if (error instanceof OutgoingError && error.problem === "refused") return "ended";
    throw error;
  }
}
