import { string } from "../../shared/base/schema/params.ts";
import { pageSpec, showForm } from "../../shared/features/joining/pages.ts";
import { showSignedOut } from "../../shared/features/joining/signed-out.ts";
import { accessDeviceLink } from "../../shared/features/users/devices.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "GET",
    path: "/sign-out-device/{token}",
    summary:
      "Shows a button that signs out the device that an email about a new login names. Opening the link is not enough, because mail scanners open links too.",
    params: { token: string({ max: 200 }) },
    errors: ["BAD_REQUEST 404", "NONEXISTENT_SUBDOMAIN", "REALM_DEACTIVATED"],
    uses: { table: "read", secret: true, mailFrom: true, built: ["page.html"] },
  },
  async ({ params }) => {
    const realm = await loadActiveRealm();
    const { owner, device } = await accessDeviceLink(params.token);
    if (!device) return showSignedOut(realm);
    const { client = "A program", system = "", kind } = device.device ?? {};
    if (kind === "app")
      return showForm({
        title: "Revoke this app password?",
        introduction: `With the app password “${client}”, a program has access to the account ${owner.email}. It will lose access.`,
        fields: [],
        button: "Revoke this app password",
      });
    return showForm({
      title: "Sign out this device?",
      introduction: `${client}${system === "" ? "" : ` on ${system}`} is signed in as ${owner.email}. It will lose access.`,
      fields: [],
      button: "Sign out this device",
    });
  },
);
