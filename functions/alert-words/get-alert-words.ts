import { list, string } from "../../shared/base/schema/params.ts";
import { alertWordsState } from "../../shared/features/alert-words/alert-words.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/users/me/alert_words",
    summary: "Lists the caller's alert words.",
    caller: "user",
    params: {},
    returns: { alert_words: list(string()) },
    uses: { table: "read" },
  },
  async ({ caller }) => alertWordsState(caller),
);
