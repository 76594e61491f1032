import { int, string } from "../../shared/base/schema/params.ts";
import { sendWelcome } from "../../shared/features/users/welcome.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/realm/test_welcome_bot_custom_message",
    summary: "Sends the caller the message that Welcome Bot would send to a new user.",
    caller: "admin",
    params: { welcome_message_custom_text: string({ max: 8000, allowBlank: false }) },
    returns: { message_id: int() },
    needs: { realm },
    creates: "message",
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => ({
    message_id: await sendWelcome(caller.id, params.welcome_message_custom_text, realm),
  }),
);
