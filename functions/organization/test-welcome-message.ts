import { endpoint } from "../../shared/http/endpoint.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { int, string } from "../../shared/schema/params.ts";
import { sendWelcome } from "../../shared/users/manage/welcome.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/realm/test_welcome_bot_custom_message",
    summary: "Sends the caller the message that Welcome Bot would send to a new user.",
    caller: "admin",
    params: { welcome_message_custom_text: string({ max: 8000, allowBlank: false }) },
    returns: { message_id: int() },
    prefetch: accessRealm,
    creates: "message",
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => ({
    message_id: await sendWelcome(caller.id, params.welcome_message_custom_text, await accessRealm()),
  }),
);
