import { onDemand } from "../../shared/base/needs.ts";
import { list, nameText, optional, string, withDefault } from "../../shared/base/schema/params.ts";
import { namedChannel, receiveDelivery } from "../../shared/features/integrations/receive.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

const eventPatterns = () => withDefault(list(string({ max: 100 }), { max: 100 }), []);

export const handler = endpoint(
  {
    method: "POST",
    path: "/external/{integration}",
    summary: "Posts what a service sends, as the bot whose API key is in the URL.",
    note: "A service is configured with this URL alone. Without a channel, the message goes to the bot's owner. The body is whatever the service sends, up to 1 MB.",
    caller: "user",
    incomingWebhooks: true,
    webhook: true,
    params: {
      integration: string({ max: 100 }),
      api_key: optional(string({ max: 100 })),
      stream: optional(nameText()),
      topic: optional(nameText()),
      only_events: eventPatterns(),
      exclude_events: eventPatterns(),
    },
    returns: {},
    needs: { realm, accessChannel: onDemand(namedChannel) },
    errors: ["BAD_REQUEST 404", "BAD_REQUEST 413"],
    creates: ["message", "topic"],
    uses: { table: "readWrite", sends: ["outgoing", "background-jobs"] },
  },
  async ({ caller, params, request, realm, accessChannel }) => {
    const query = new URLSearchParams(request.rawQuery);
    const delivery = {
      headers: request.headers,
      body: request.body(),
      parameter: (name: string) => query.get(name) ?? undefined,
    };
    const { stream, topic, only_events: only, exclude_events: exclude } = params;
    const options = { stream, topic, only, exclude };
    await receiveDelivery(caller, params.integration, delivery, options, accessChannel, realm);
  },
);
