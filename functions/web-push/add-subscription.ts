import { string } from "../../shared/base/schema/params.ts";
import { nowSeconds } from "../../shared/base/time.ts";
import { checkSubscription } from "../../shared/messaging/web-push/rules.ts";
import { maxBrowsers, subscribeBrowser } from "../../shared/messaging/web-push/subscriptions.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/web_push/subscriptions",
    summary: "Subscribes a browser to the caller's Web Push notifications.",
    note: [
      "The parameters are those of the browser's `PushSubscription`: its `endpoint`, which must be an https URL, and its keys in base64url without padding. Repeating the call changes nothing; with new keys, or by another session, it replaces the subscription.",
      `The subscription ends with the session or API key with which this call is made, when the account is deactivated, and when the push service answers 401, 403, 404 or 410. A user has at most ${maxBrowsers} subscriptions; another one ends the oldest.`,
      'The payload is JSON, encrypted for the browser (RFC 8291): `{"type": "message", "message_id", "title", "content", "hash"}`, without `content` if the user\'s setting `pm_content_in_desktop_notifications` hides it, and `{"type": "remove", "message_ids"}` once messages are read or deleted. The latter is not sent to Safari, where every push must show a notification.',
      "A message notifies the same people as on mobile devices (`POST /mobile_push/register`). No push bouncer is needed, and `require_e2ee_push_notifications` changes nothing, because only the browser can decrypt the payload. Changing the password ends no subscription, as it ends no session.",
    ],
    caller: "human",
    params: { endpoint: string({ max: 2000 }), p256dh: string({ max: 200 }), auth: string({ max: 200 }) },
    returns: {},
    creates: "browser",
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    checkSubscription(params);
    const { endpoint: url, p256dh, auth } = params;
    await subscribeBrowser({
      ...{ userId: caller.id, endpoint: url, p256dh, auth },
      keyHash: caller.keyHash ?? "",
      createdAt: nowSeconds(),
    });
  },
);
