import { string } from "../../shared/base/schema/params.ts";
import { pageSpec, showTextPage } from "../../shared/features/joining/pages.ts";
import { accessUnsubscriber, unsubscribe } from "../../shared/features/settings/unsubscribe.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "POST",
    path: "/unsubscribe/{token}",
    summary: "Turns off emails about missed messages for the person to whom the link was sent.",
    note: "Email programs call it when somebody unsubscribes with one click (RFC 8058), so it needs no session and no page of this server.",
    params: { token: string({ max: 100 }) },
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite", secret: true, built: ["page.html"] },
  },
  async ({ params }) => {
    await unsubscribe(await accessUnsubscriber(params.token));
    return showTextPage(
      "You have unsubscribed",
      "You will get no more email about messages that you have missed. You can turn it on again in the notification settings.",
    );
  },
);
