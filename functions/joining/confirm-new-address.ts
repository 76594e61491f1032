import { string } from "../../shared/base/schema/params.ts";
import { accessAddressChange, confirmAddress } from "../../shared/features/joining/addresses.ts";
import { checkSameOrigin } from "../../shared/features/joining/form-checks.ts";
import { pageSpec, showTextPage } from "../../shared/features/joining/pages.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

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
