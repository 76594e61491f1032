import { string } from "../../shared/base/schema/params.ts";
import { pageSpec, showTextPage } from "../../shared/features/joining/pages.ts";
import { accessUnsubscriber, unsubscribe } from "../../shared/features/settings/unsubscribe.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "POST",
    path: "/unsubscribe/{token}",
    summary: "Ends the mails about missed messages, for the person in whose mails the link is.",
    note: "Mail programs call it when somebody unsubscribes by one click (RFC 8058), so it needs neither a session nor a page of this server.",
    params: { token: string({ max: 100 }) },
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite", secret: true, built: ["page.html"] },
  },
  async ({ params }) => {
    await unsubscribe(await accessUnsubscriber(params.token));
    return showTextPage(
      "You have unsubscribed",
      "You will get no more email about messages that you have missed. The settings of notifications turn it on again.",
    );
  },
);
