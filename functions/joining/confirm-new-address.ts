import { endpoint } from "../../shared/http/endpoint.ts";
import { accessAddressChange, confirmAddress } from "../../shared/joining/addresses.ts";
import { checkSameOrigin } from "../../shared/joining/form-checks.ts";
import { pageSpec, showTextPage } from "../../shared/joining/pages.ts";
import { loadActiveRealm } from "../../shared/organization/access.ts";
import { string } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "POST",
    path: "/confirm-email/{token}",
    summary: "Changes an account's email address to the one that the confirmation link was mailed to.",
    params: { token: string({ max: 100 }) },
    errors: ["BAD_REQUEST 404", "NONEXISTENT_SUBDOMAIN", "REALM_DEACTIVATED"],
    uses: { table: "readWrite", sends: ["mail"], mailFrom: true, built: ["page.html"] },
  },
  async ({ params, request }) => {
    checkSameOrigin(request);
    const realm = await loadActiveRealm();
    const change = await accessAddressChange(params.token);
    await confirmAddress(change, realm);
    return showTextPage("Your new address is confirmed", `From now on you sign in as ${change.newEmail}.`);
  },
);
