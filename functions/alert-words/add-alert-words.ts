import { limits } from "../../shared/base/limits.ts";
import { list, string } from "../../shared/base/schema/params.ts";
import { ownAlertWords, withWords, wordsChange } from "../../shared/features/alert-words/alert-words.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/users/me/alert_words",
    summary: "Adds alert words: the caller is notified of messages that contain them.",
    note: "Words that differ only in case count as one, kept as first written. Alert words apply to older messages too.",
    caller: "user",
    params: { alert_words: list(string({ max: limits.alertWordLength }), { max: 500 }) },
    returns: { alert_words: list(string()) },
    needs: { before: ownAlertWords },
    creates: "alertWord",
    uses: { table: "readWrite" },
  },
  ({ caller, params, before }) => {
    const alert_words = withWords(before, params.alert_words);
    return { change: wordsChange(caller.id, before, alert_words), reply: { alert_words } };
  },
);
