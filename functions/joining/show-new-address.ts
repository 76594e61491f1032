import { string } from "../../shared/base/schema/params.ts";
import { accessAddressChange } from "../../shared/features/joining/addresses.ts";
import { pageSpec, showForm, shownEmail } from "../../shared/features/joining/pages.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "GET",
    path: "/confirm-email/{token}",
    summary:
      "Shows a button that confirms a new email address. Opening the link is not enough, because mail scanners open links too.",
    params: { token: string({ max: 100 }) },
    errors: ["BAD_REQUEST 404"],
    uses: { table: "read", built: ["page.html"] },
  },
  async ({ params }) => {
    const { newEmail } = await accessAddressChange(params.token);
    return showForm({
      title: "Confirm your new address",
      introduction: "After confirming it, you sign in with this address.",
      fields: [shownEmail(newEmail)],
      button: "Confirm",
    });
  },
);
