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
      'Blocks may nest to 60 levels and fences to 30; deeper ones are plain text. In one message, at most 4,000 characters of code (in lines of up to 300) are highlighted, or 3,000 characters of formulas typeset; both share this limit, and 4,000 elements. Anything beyond is shown as source. A text may mention or link to at most 200 each of users, groups, channels and files; further ones stay text. Its HTML may take 1 MB and have 6,000 elements, where an emoji counts as four (beyond that: "Unable to render message"). Its `topic_links` may take 20 KB.',
      "What the author cannot see is not linked: a private channel's name, or the ID of a hidden user, stays text.",
      "Links to the server become relative if they use its configured address; links that use another name of the server stay absolute. `file:` URLs are not linked. Only uploaded files are previewed, never files on other servers.",
    ],
    caller: "user",
    params: { content: string({ max: limits.messageLength, label: "Message" }) },
    returns: { rendered: text() },
    needs: { realm, content: renderedContent },
    uses: { table: "read" },
  },
  async ({ content }) => ({ rendered: content.html }),
);
