import { int, oneOf, string } from "../../shared/base/schema/params.ts";
import { accessBouncer } from "../../shared/messaging/mobile-push/bouncer.ts";
import { addPushDevice } from "../../shared/messaging/mobile-push/registration.ts";
import { checkRegistration } from "../../shared/messaging/mobile-push/rules.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/mobile_push/register",
    summary: "Registers a device for end-to-end-encrypted push notifications.",
    note: [
      "The bouncer validates its own key; the device's key is 32 bytes; both are standard base64 with padding. If the bouncer is unreachable, has an error or rejects this server, the registration fails after the fourth try (`FAILED_TO_CONNECT_BOUNCER`, `INTERNAL_SERVER_ERROR_ON_BOUNCER` or `ADMIN_ACTION_REQUIRED`) and can be repeated. An event reports each change of the status, including `pending`.",
      "Direct messages and mentions (personal or of a group) notify everyone who wants offline notifications. For wildcard mentions, followed topics and channels, the settings of the user, the channel and the topic decide. People who were active within 200 s are notified only with `enable_online_push_notifications`, which is off by default. Messages from muted senders, messages already read, and messages older than an hour notify nobody. Delivery is at least once; a device recognizes duplicates by the message's ID. Legacy devices are notified through `push/notify`, with one request for each owner and the badge 0.",
    ],
    caller: "human",
    params: {
      token_kind: oneOf(["fcm", "apns"]),
      push_account_id: int(),
      push_public_key: string({ max: 200 }),
      bouncer_public_key: string({ max: 200 }),
      encrypted_push_registration: string({ max: 20_000 }),
    },
    returns: {},
    errors: ["PUSH_SERVICE_NOT_CONFIGURED"],
    creates: "pushDevice",
    uses: { table: "readWrite", sends: ["outgoing"], pushBouncer: true },
  },
  async ({ caller, params }) => {
    accessBouncer();
    checkRegistration(params.push_public_key, params.encrypted_push_registration);
    await addPushDevice({
      userId: caller.id,
      pushAccountId: params.push_account_id,
      tokenKind: params.token_kind,
      publicKey: params.push_public_key,
      bouncerPublicKey: params.bouncer_public_key,
      encryptedRegistration: params.encrypted_push_registration,
      keyHash: caller.keyHash ?? "",
    });
  },
);
