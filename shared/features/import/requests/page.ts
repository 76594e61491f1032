import { type Html, html, page } from "../../../services/http/page.ts";
import { RawReply } from "../../../services/http/raw-reply.ts";
import type { ImportRequest } from "../../../store/organization/import-request.ts";

/** The page on which an owner follows an import: it needs no account, and asks for its state by itself. */

const refreshSeconds = 5;

export async function showImportPage(request: ImportRequest): Promise<RawReply> {
  const { title, content, isOver } = contentOf(request);
  const shown = await page(200, title, html`<h1>${title}</h1>${content}`);
  return isOver ? shown : new RawReply(shown.status, { ...shown.headers, refresh: String(refreshSeconds) }, shown.body);
}

function contentOf({ state, name = "The organization", problem = "", done, total = 0, isGivenUp }: ImportRequest): {
  title: string;
  content: Html;
  isOver?: boolean;
} {
  if (state === "done")
    return {
      title: `${name} has been imported`,
      isOver: true,
      content: html`<p>Sign in with the address and the password that you had before. Everybody else chooses a password with “Forgot password?”.</p><p><a class="button primary" href="/">Sign in</a></p>`,
    };
  if (state === "failed")
    return {
      title: "The import has ended",
      isOver: true,
      content: html`<p role="alert">${problem}</p><p><a class="button primary" href="/">Continue</a></p>`,
    };
  if (state === "importing" && isGivenUp)
    return {
      title: "The import is being given up",
      content: html`<p role="status">What has been written is deleted, and everything is put back as it was before.</p>`,
    };
  if (state === "importing")
    return {
      title: `${name} is being imported`,
      content: html`<p>Nobody can sign in until this has ended. You can close this page: keep its address to come back.</p><p role="status">${
        total > 0
          ? `${Math.floor((100 * (done ?? 0)) / total)}% of the messages are written and indexed.`
          : "It begins within two minutes."
      }</p><form method="post"><button type="submit" class="danger">Give up, and put everything back</button></form>`,
    };
  return {
    title: "The import has not begun",
    content: html`<p>The archive is being uploaded or checked. The import begins when you confirm it in the settings.</p><p><a href="/">Back</a></p>`,
  };
}
