import { listOf, maybe, object, text } from "../../fields.ts";
import { handlerOf, integration, required } from "../../integration.ts";
import { isHmac } from "../../signature.ts";
import { code, counted, link, words } from "../../text.ts";

/** https://developers.notion.com/reference/webhooks */

const sentences: Record<string, string> = {
  ...{ "page.created": "was created", "page.content_updated": "has new content", "page.moved": "was moved" },
  ...{ "page.properties_updated": "has new properties", "page.deleted": "was moved to trash" },
  ...{ "page.undeleted": "was restored from trash", "page.locked": "was locked", "page.unlocked": "was unlocked" },
  ...{
    "database.created": "was created",
    "database.content_updated": "has new content",
    "database.moved": "was moved",
  },
  ...{ "database.deleted": "was moved to trash", "database.undeleted": "was restored from trash" },
  ...{ "database.schema_updated": "has a new schema", "data_source.created": "was created" },
  ...{ "data_source.content_updated": "has new content", "data_source.moved": "was moved" },
  ...{ "data_source.deleted": "was moved to trash", "data_source.undeleted": "was restored from trash" },
  ...{ "data_source.schema_updated": "has a new schema", "comment.created": "was created" },
  ...{ "comment.updated": "was updated", "comment.deleted": "was deleted" },
};

const leavesOut = { "file_upload.*": "files that are being uploaded", "view.*": "views of databases" };

const capitalized = (text: string) => text.replace(/^./, (letter) => letter.toUpperCase());

export const service = integration({
  title: "Notion",
  logo: "notion",
  summary:
    "Pages, databases and comments that are created, changed, moved and deleted. Notion's requests contain only links to them.",
  setUp: [
    "Open [your integrations](https://www.notion.so/profile/integrations), and create an internal integration with access to the pages.",
    "Under **Webhooks → Create a subscription**, enter the URL and choose the events. Notion sends a verification token, which is posted.",
    "Enter the token in **Verify**. It can also be the bot's `webhook_secret`; delete the message then.",
  ],
  events: Object.keys(sentences),
  leavesOut,
  payload: object({
    id: text(),
    type: text(),
    verification_token: text(),
    workspace_name: text(),
    authors: listOf(object({ id: text(), type: text() })),
    entity: maybe(object({ id: text(), type: text() })),
    data: maybe(
      object({
        page_id: text(),
        parent: maybe(object({ id: text(), type: text() })),
        updated_blocks: listOf(object({ id: text() })),
        updated_properties: listOf(text()),
      }),
    ),
  }),
  deliveryId: ({ id }) => id || undefined,
  // The first request brings the token by which later ones are signed.
  isSigned: ({ headers, body }, secret) => isHmac(headers["x-notion-signature"], secret, body, { prefix: "sha256=" }),
  toPost({ type, verification_token: token, entity, data, authors, workspace_name: workspace }) {
    if (token)
      return {
        topic: "Verification",
        content: `Notion webhook has been successfully configured.\nYour verification token is: ${code(token)}\nPlease copy this token and paste it into your Notion webhook configuration to complete the setup.`,
      };
    const { id, type: entityType } = required(entity, "entity");
    const sentence = handlerOf(type, "type", sentences, leavesOut);
    if (sentence === undefined) return undefined;
    const kind = entityType === "block" ? "page" : entityType;
    const shownId = entityType === "comment" ? data?.page_id || data?.parent?.id || "" : id;
    const it = link(capitalized(words(kind)), shownId && `https://www.notion.so/${shownId.replaceAll("-", "")}`);
    const blocks = data?.updated_blocks.length ?? 0;
    const bots = authors.length > 0 && authors.every((author) => author.type === "bot") ? " by an integration" : "";
    return {
      topic: workspace ? `${workspace} / ${words(kind)}s` : `Notion ${words(kind)}s`,
      content: `${it} ${sentence}${blocks > 0 ? ` (${counted(blocks, "block")})` : ""}${bots}.`,
      event: type,
    };
  },
});
