import { type Example, quoted } from "../../example.ts";

const issue = {
  key: "BUG-15",
  self: "https://jira.example/rest/api/2/issue/10014",
  fields: { summary: "New bug with hook" },
};
const user = { displayName: "Leo Franchi" };
const comment = { body: "Just in time for AtlasCamp!", author: user, updateAuthor: user };

/** A quotation with a fence in it. */
const fencedQuote = (text: string): string => `\`\`\`\`quote\n${text}\n\`\`\`\``;

export const examples: Example[] = [
  [
    {},
    {
      webhookEvent: "jira:issue_created",
      user: { displayName: "Leo Franchi" },
      issue: {
        key: "BUG-15",
        self: "https://jira.example/rest/api/2/issue/10014",
        fields: {
          summary: "New bug with hook",
          priority: { name: "Major" },
          issuetype: { name: "Bug" },
          description: null,
        },
      },
    },
    "BUG-15: New bug with hook",
    "Leo Franchi created [BUG-15: New bug with hook](https://jira.example/browse/BUG-15).\n\n* **Type**: Bug\n* **Priority**: Major",
  ],
  [
    {},
    {
      webhookEvent: "jira:issue_updated",
      user: { displayName: "Leo Franchi" },
      issue: {
        key: "BUG-15",
        self: "https://jira.example/rest/api/2/issue/10014",
        fields: { summary: "New bug", assignee: { displayName: "Othello" } },
      },
      changelog: {
        items: [
          { field: "status", fromString: "To Do", toString: "In Progress" },
          { field: "Rank", fromString: "", toString: "Ranked higher" },
        ],
      },
    },
    "BUG-15: New bug",
    "Leo Franchi updated [BUG-15: New bug](https://jira.example/browse/BUG-15) (assigned to **Othello**):\n\n* Changed status from **To Do** to **In Progress**",
  ],
  [
    {},
    {
      webhookEvent: "comment_created",
      comment: { body: "Just in time for AtlasCamp!", author: { displayName: "Bryan Rollins" } },
      issue: {
        key: "JRA-20002",
        self: "https://jira.example/rest/api/2/issue/99291",
        fields: { summary: "I feel the need for speed" },
      },
    },
    "JRA-20002: I feel the need for speed",
    `Bryan Rollins commented on [JRA-20002: I feel the need for speed](https://jira.example/browse/JRA-20002):\n\n${quoted("Just in time for AtlasCamp!")}`,
  ],
  [
    {},
    { webhookEvent: "sprint_started", sprint: { name: "Sprint 7", state: "active" } },
    "Sprint Sprint 7",
    "Sprint **Sprint 7** was started.",
  ],
  [
    {},
    { webhookEvent: "jira:version_released", version: { name: "2.0" } },
    "Version 2.0",
    "Version **2.0** was released.",
  ],
  [{}, { webhookEvent: "jira:issue_deleted", user, issue }],
  ...["updated", "deleted"].map((action): Example => [{}, { webhookEvent: `comment_${action}`, comment, issue }]),
  ...["created", "updated", "closed", "deleted"].map(
    (action): Example => [{}, { webhookEvent: `sprint_${action}`, sprint: { name: "Sprint 12" } }],
  ),
  ...["created", "unreleased", "deleted"].map(
    (action): Example => [{}, { webhookEvent: `jira:version_${action}`, version: { name: "1.4" } }],
  ),
  ...["created", "updated", "deleted"].map(
    (action): Example => [{}, { webhookEvent: `project_${action}`, project: { name: "Scheduling" } }],
  ),
  [
    {},
    {
      webhookEvent: "jira:issue_updated",
      issue_event_type_name: "issue_comment_edited",
      user: { displayName: "Leo Franchi" },
      issue: { key: "BUG-16", self: "https://jira.example/rest/api/2/issue/10016", fields: { summary: "Markup" } },
      comment: {
        author: { displayName: "Leo Franchi" },
        body: "h2. Steps\n# Open *Settings*\n# See [the page|https://example.com/a_b] and {{npm start}}\n{code:java}\nint *x*;\n{code}\n[~leo] said _this_",
      },
    },
    "BUG-16: Markup",
    `Leo Franchi updated their comment on [BUG-16: Markup](https://jira.example/browse/BUG-16):\n\n${fencedQuote("**Steps**\n1. Open **Settings**\n1. See [the page](https://example.com/a_b) and `npm start`\n\n```java\nint *x*;\n```\n\n@leo said *this*")}`,
  ],
  [
    {},
    {
      webhookEvent: "jira:issue_updated",
      issue_event_type_name: "issue_comment_deleted",
      user: { displayName: "Leo Franchi" },
      issue: { key: "BUG-16", self: "https://jira.example/rest/api/2/issue/10016", fields: { summary: "Markup" } },
    },
    "BUG-16: Markup",
    "Leo Franchi deleted a comment on [BUG-16: Markup](https://jira.example/browse/BUG-16).",
  ],
  [
    {},
    {
      webhookEvent: "jira:issue_updated",
      issue_event_type_name: "issue_resolved",
      user: { displayName: "Leo Franchi", accountId: "5c76b994" },
      issue: {
        key: "BUG-16",
        self: "https://jira.example/rest/api/2/issue/10016",
        fields: { summary: "Markup", assignee: { displayName: "Kevin *Lin* <k>", accountId: "619a4432" } },
      },
      changelog: { items: [{ field: "resolution", fromString: null, toString: "Done" }] },
      comment: {
        author: { displayName: "Leo Franchi" },
        body: "[~accountid:619a4432] \\*is right\\*\\!\n{panel:title=Before|borderStyle=dashed}\n||Sea||Island||\n|rough|calm|\n{panel}",
      },
    },
    "BUG-16: Markup",
    `Leo Franchi updated [BUG-16: Markup](https://jira.example/browse/BUG-16) (assigned to **Kevin &#x2a;Lin&#x2a; &lt;k>**):\n\n* Changed resolution to **Done**\n\n${quoted("@Kevin &#x2a;Lin&#x2a; &lt;k> &#x2a;is right&#x2a;!\n\n**Before**\n\n\n|Sea|Island|\n|---|---|\n|rough|calm|")}`,
  ],
  [
    {},
    {
      webhookEvent: "comment_created",
      comment: { self: "https://jira.example/rest/api/2/issue/10000/comment/12000", body: "Soon", author: user },
    },
    "Issue 10000",
    `Leo Franchi commented on Issue 10000:\n\n${quoted("Soon")}`,
  ],
  [
    {},
    {
      webhookEvent: "jira:issue_updated",
      user,
      issue: { key: "BUG-16", fields: { summary: "Markup" } },
      changelog: { items: [{ field: "Rank", fromString: "", toString: "Ranked higher" }] },
    },
    null,
  ],
];
