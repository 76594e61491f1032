import type { ApiFailure } from "../../base/api/client.ts";
import { t } from "../../base/languages/language.ts";
import { linkTo } from "../../navigation/router.ts";

/** What is shown of links that do not lead where they should. */

/** Says what is wrong with a link, and offers a way on. There is nobody to write to, so there is no compose box. */
export const BadLink = ({ problem }: { problem: string }) => (
  <div class="page" id="messages" tabIndex={-1}>
    <h1>{t("This cannot be shown")}</h1>
    <p>{problem}</p>
    <p class="page-tools">
      <a class="button" href={linkTo({ kind: "inbox" })}>
        {t("Inbox")}
      </a>
      <a class="button" href={linkTo({ kind: "channels" })}>
        {t("All channels")}
      </a>
      {history.length > 1 && (
        <button type="button" onClick={() => history.back()}>
          {t("Back")}
        </button>
      )}
    </p>
  </div>
);

/** Why the server refused to list messages, in words. */
export function explainRefusal({ message, details }: ApiFailure): string {
  const description = typeof details.desc === "string" ? details.desc : message;
  if (description.startsWith("unknown channel"))
    return t("The link or search names a channel that does not exist, or whose messages you may not read.");
  if (description.startsWith("unknown user"))
    return t("The link or search names a user who does not exist, or whom you may not see.");
  return t("The server does not understand this link or search: {description}.", { description });
}
