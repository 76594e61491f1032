import { string } from "../../shared/base/schema/params.ts";
import { checkSameOrigin } from "../../shared/features/joining/form-checks.ts";
import { pageSpec } from "../../shared/features/joining/pages.ts";
import { showSignedOut } from "../../shared/features/joining/signed-out.ts";
import { endLinkedDevice } from "../../shared/features/users/devices.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "POST",
    path: "/sign-out-device/{token}",
    summary: "Signs out the device that an email about a new login names.",
    params: { token: string({ max: 200 }) },
    errors: ["BAD_REQUEST 404", "NONEXISTENT_SUBDOMAIN", "REALM_DEACTIVATED"],
    uses: {
      table: "readWrite",
      secret: true,
      mailFrom: true,
      sends: ["outgoing"],
      pushBouncer: true,
      built: ["page.html"],
    },
  },
  async ({ params, request }) => {
    checkSameOrigin(request);
    const realm = await loadActiveRealm();
    await endLinkedDevice(params.token);
    return showSignedOut(realm);
  },
);
