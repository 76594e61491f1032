import { type Example, quoted } from "../../example.ts";

const issue = { title: "Drop-down overflow in the select menu." };
const things: Record<string, object> = {
  Comment: { body: "Indeed, an improvement.", issue },
  Customer: { name: "Acme" },
  Cycle: { number: 12, name: "Harvest" },
  Issue: { ...issue, team: { name: "Webhooks" }, state: { name: "In progress" } },
  Project: { name: "Loom", description: "A faster loom.", status: { name: "Planned" }, lead: { name: "Satyam" } },
  ProjectUpdate: { body: "All good", health: "onTrack", project: { name: "Loom" } },
};

export const examples: Example[] = [
  [
    {},
    {
      action: "create",
      type: "Issue",
      url: "https://linear.app/webhooks/issue/WEB-42/drop-down-overflow",
      actor: { name: "Satyam" },
      data: {
        title: "Drop-down overflow in the select menu.",
        team: { name: "Webhooks" },
        priorityLabel: "High",
        state: { name: "Todo" },
      },
    },
    "Issue: Drop-down overflow in the select menu.",
    "[Issue](https://linear.app/webhooks/issue/WEB-42/drop-down-overflow) was created in team Webhooks.\n\nPriority: High, Status: Todo.",
  ],
  [
    {},
    {
      action: "create",
      type: "Comment",
      url: "https://linear.app/issue/LIN-1778#comment-77217de3",
      actor: { name: "Roman" },
      data: { body: "Indeed, I think this is definitely an improvement.", issue: { title: "Foo bar" } },
    },
    "Issue: Foo bar",
    `Roman [commented](https://linear.app/issue/LIN-1778#comment-77217de3) on issue **Foo bar**:\n\n${quoted("Indeed, I think this is definitely an improvement.")}`,
  ],
  [
    {},
    {
      action: "create",
      type: "ProjectUpdate",
      url: "https://linear.app/p/1#project-update-1",
      actor: { name: "Dhruv" },
      data: { body: "All good", health: "atRisk", project: { name: "Zulip" } },
    },
    "Project: Zulip",
    `Dhruv [posted](https://linear.app/p/1#project-update-1) a status update on **Zulip** (health: at risk):\n\n${quoted("All good")}`,
  ],
  [
    {},
    { action: "remove", type: "Issue", data: { title: "Gone", team: { name: "Webhooks" } } },
    "Issue: Gone",
    "This issue has been removed from team Webhooks.",
  ],
  ...Object.entries(things).flatMap(([type, data]) =>
    ["create", "update", "remove"].map(
      (action): Example => [
        {},
        { action, type, url: "https://linear.app/acme/webhooks", actor: { name: "Satyam" }, data },
      ],
    ),
  ),
  [
    {},
    {
      action: "create",
      type: "Reaction",
      url: "https://linear.app/issue/LIN-1778#comment-77217de3",
      actor: { name: "Roman" },
      data: { emoji: "thumbs_up", issue, comment: { body: "Indeed, an improvement." } },
    },
  ],
  ...["Issue", "Project"].map(
    (type): Example => [{}, { action: "update", type, data: things[type], updatedFrom: { sortOrder: 7 } }, null],
  ),
  ...["update", "remove"].map((action): Example => [{}, { action, type: "Reaction", data: { emoji: "tada" } }, null]),
];
