import { randomBytes } from "node:crypto";
import type { Bot } from "../../store/users/bots.ts";

interface OutgoingWebhook {
  serviceUrl?: string | undefined;
  token?: string | undefined;
  interface?: 1 | 2 | undefined;
}

/** A service's token: 32 hexadecimal digits. */
const newServiceToken = () => randomBytes(16).toString("hex");

/** A new bot without default channels; with a `serviceUrl`, an outgoing webhook. */
export const newBot = (id: number, ownerId: number, serviceName: string, hook: OutgoingWebhook): Bot => ({
  id,
  ownerId,
  defaultSendingChannel: null,
  defaultEventsRegisterChannel: null,
  defaultAllPublicStreams: false,
  services: hook.serviceUrl
    ? [
        {
          name: serviceName,
          baseUrl: hook.serviceUrl,
          token: hook.token ?? newServiceToken(),
          interface: hook.interface ?? 1,
        },
      ]
    : [],
});
