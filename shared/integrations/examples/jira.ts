import { type Example, quoted } from "./example.ts";

const issue = {
  key: "BUG-15",
  self: "https://jira.example/rest/api/2/issue/10014",
  fields: { summary: "New bug with hook" },
};
const user = { displayName: "Leo Franchi" };
const comment = { body: "Just in time for AtlasCamp!", author: user, updateAuthor: user };

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
];
