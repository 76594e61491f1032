import { limits } from "../../shared/base/limits.ts";
import { list, string } from "../../shared/base/schema/params.ts";
import { ownAlertWords, withoutWords, wordsChange } from "../../shared/features/alert-words/alert-words.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/users/me/alert_words",
    summary: "Removes some of the caller's alert words.",
    caller: "user",
    params: { alert_words: list(string({ max: limits.alertWordLength }), { max: 500 }) },
    returns: { alert_words: list(string()) },
    needs: { before: ownAlertWords },
    uses: { table: "readWrite" },
  },
  ({ caller, params, before }) => {
    const alert_words = withoutWords(before, params.alert_words);
    return { change: wordsChange(caller.id, before, alert_words), reply: { alert_words } };
  },
);
