import { int, optional, text } from "../../shared/base/schema/params.ts";
import { channelMailAddress } from "../../shared/features/channels/mail-addresses.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/streams/{stream_id}/email_address",
    summary:
      "Replaces the caller's address of a channel, so that the former one no longer works, and returns the new one.",
    note: "Zulip has no such endpoint.",
    caller: "user",
    params: { stream_id: int(), sender_id: optional(int()) },
    returns: { email: text() },
    needs: { realm },
    creates: "mailAddress",
    uses: { table: "readWrite", secret: true, mailDomain: true },
  },
  async ({ caller, params, realm }) => ({ email: await channelMailAddress(caller, params, realm, { replace: true }) }),
);
