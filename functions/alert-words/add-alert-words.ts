import { addAlertWords } from "../../shared/alert-words/alert-words.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { limits } from "../../shared/limits.ts";
import { list, string } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/alert_words",
    summary: "Adds alert words: the caller is notified of messages that contain them.",
    note: "Words that differ only in case are one, kept as first written. They apply to older messages too.",
    caller: "user",
    params: { alert_words: list(string({ max: limits.alertWordLength }), { max: 500 }) },
    returns: { alert_words: list(string()) },
    creates: "alertWord",
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => ({ alert_words: await addAlertWords(caller.id, params.alert_words) }),
);
