import { removeAlertWords } from "../../shared/alert-words/alert-words.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { limits } from "../../shared/limits.ts";
import { list, string } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/me/alert_words",
    summary: "Removes some of the caller's alert words.",
    caller: "user",
    params: { alert_words: list(string({ max: limits.alertWordLength }), { max: 500 }) },
    returns: { alert_words: list(string()) },
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => ({ alert_words: await removeAlertWords(caller.id, params.alert_words) }),
);
