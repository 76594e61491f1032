import { int, optional, text } from "../../shared/base/schema/params.ts";
import { channelMailAddress } from "../../shared/features/channels/mail-addresses.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/streams/{stream_id}/email_address",
    summary: "Returns the address at which a channel receives email; empty if the server receives none.",
    note: "Each person who may post in the channel has an address of their own, which works for as long as they may. `sender_id` selects who posts the emails: Email Gateway (the default), the caller, or one of the caller's bots. The options `.show-sender`, `.include-footer`, `.include-quotes` and `.prefer-html` before the `@` change how emails are posted: see docs/mail.md.",
    caller: "user",
    params: { stream_id: int(), sender_id: optional(int()) },
    returns: { email: text() },
    needs: { realm },
    uses: { table: "read", secret: true, mailDomain: true },
  },
  async ({ caller, params, realm }) => ({
    email: await channelMailAddress(caller, params, realm, { replace: false }),
  }),
);
