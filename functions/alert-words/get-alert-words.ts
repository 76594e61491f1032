import { alertWordsState } from "../../shared/alert-words/alert-words.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { list, string } from "../../shared/schema/params.ts";

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
