import { limits } from "../../shared/base/limits.ts";
import { string, text } from "../../shared/base/schema/params.ts";
import { renderedContent } from "../../shared/messaging/messages/render/render.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/messages/render",
    summary: "Renders Markdown to HTML as if the caller had sent it as a message.",
    note: [
      '60 levels of blocks and 30 of fences; deeper ones are plain text. Highlighting covers 4,000 characters of a message and lines of up to 300, formulas 3,000 characters, both together 4,000 elements; what exceeds this is shown as its source. A text may mention or link at most 200 users, groups, channels and files of each kind; further ones stay text. Its HTML may take 1 MB and have 6,000 elements, an emoji counting as four ("Unable to render message"), its `topic_links` 20 KB.',
      "What the author cannot see is not linked: a private channel's name, or the ID of a hidden user, stays text.",
      "Links to the server itself become relative under the one address of the fleet; links with other names of the server stay absolute. `file:` URLs are not linked. Previews are made of uploaded files only, never of files on other servers.",
    ],
    caller: "user",
    params: { content: string({ max: limits.messageLength, label: "Message" }) },
    returns: { rendered: text() },
    needs: { realm, content: renderedContent },
    uses: { table: "read" },
  },
  async ({ content }) => ({ rendered: content.html }),
);
