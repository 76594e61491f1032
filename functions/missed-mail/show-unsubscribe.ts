import { string } from "../../shared/base/schema/params.ts";
import { pageSpec, showForm, shownEmail } from "../../shared/features/joining/pages.ts";
import { accessUnsubscriber } from "../../shared/features/settings/unsubscribe.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "GET",
    path: "/unsubscribe/{token}",
    summary:
      "Shows a button that turns off emails about missed messages. Opening the link is not enough, because mail scanners open links too.",
    params: { token: string({ max: 100 }) },
    errors: ["BAD_REQUEST 404"],
    uses: { table: "read", secret: true, built: ["page.html"] },
  },
  async ({ params }) => {
    const { email } = await accessUnsubscriber(params.token);
    return showForm({
      title: "Unsubscribe",
      introduction: "You will get no more email about messages that you have missed.",
      fields: [shownEmail(email)],
      button: "Unsubscribe",
    });
  },
);
