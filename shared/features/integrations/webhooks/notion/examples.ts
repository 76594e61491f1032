import type { Example } from "../../example.ts";

const id = "153104cd-477e-809d-8dc4-ff2d96ae3090";
const actions: Record<string, readonly string[]> = {
  page: ["created", "moved", "properties_updated", "deleted", "undeleted", "locked", "unlocked"],
  database: ["created", "content_updated", "moved", "deleted", "undeleted", "schema_updated"],
  data_source: ["created", "content_updated", "moved", "deleted", "undeleted", "schema_updated"],
  comment: ["created", "updated", "deleted"],
};

export const examples: Example[] = [
  [
    {},
    { verification_token: "secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl" },
    "Verification",
    "Notion webhook has been successfully configured.\nYour verification token is: `secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl`\nPlease copy this token and paste it into your Notion webhook configuration to complete the setup.",
  ],
  [
    {},
    {
      id: "367cba44-b6f3-4c92-81e7-6a2e9659efd4",
      workspace_name: "Acme",
      authors: [{ id: "c7c11cca", type: "person" }],
      type: "page.content_updated",
      entity: { id: "153104cd-477e-809d-8dc4-ff2d96ae3090", type: "page" },
      data: {
        updated_blocks: [
          { id: "1", type: "block" },
          { id: "2", type: "block" },
        ],
      },
    },
    "Acme / pages",
    "[Page](https://www.notion.so/153104cd477e809d8dc4ff2d96ae3090) has new content (2 blocks).",
  ],
  ...Object.entries(actions).flatMap(([type, own]) =>
    own.map(
      (action): Example => [
        {},
        {
          id: `${type}.${action}`,
          workspace_name: "Acme",
          type: `${type}.${action}`,
          entity: { id, type },
          data: { page_id: id },
        },
      ],
    ),
  ),
];
