import { type Example, quoted } from "../../example.ts";

const alert = {
  ...{ alertId: "052652ac-5d1c-464a", tinyId: "23", alias: "disk", message: "The disk is full", entity: "db-1" },
  ...{ username: "miranda@milan.example", priority: "P1", tags: ["disk", "critical"] },
};
const link = "[The disk is full](https://app.opsgenie.com/alert/detail/052652ac-5d1c-464a/details)";
const facts = "* **Priority**: P1\n* **Entity**: db-1\n* **Tags**: `disk`, `critical`";

const event = (action: string, more: object = {}, rest: object = {}) => ({
  ...{ action, alert: { ...alert, ...more }, integrationName: "Island", source: { name: "web", type: "API" }, ...rest },
});
const example = (action: string, verb: string, more: object = {}, rest: object = {}): Example => [
  {},
  event(action, more, rest),
  "The disk is full",
  `miranda@milan.example ${verb} the alert ${link}.\n\n${facts}`,
];

export const examples: Example[] = [
  [
    {},
    event("Create", { description: "99 % are used." }),
    "The disk is full",
    `miranda@milan.example created the alert ${link}:\n\n${quoted("99 % are used.")}\n\n${facts}\n* **Integration**: Island`,
  ],
  [
    {},
    event("AddNote", { note: "I am deleting logs." }),
    "The disk is full",
    `miranda@milan.example added a note to the alert ${link}:\n\n${quoted("I am deleting logs.")}\n\n${facts}`,
  ],
  [
    {},
    event("UpdatePriority"),
    "The disk is full",
    `miranda@milan.example changed the priority to P1 of the alert ${link}.\n\n* **Entity**: db-1\n* **Tags**: \`disk\`, \`critical\``,
  ],
  example("Acknowledge", "acknowledged"),
  example("UnAcknowledge", "took back the acknowledgement of"),
  example("Close", "closed"),
  example("Delete", "deleted"),
  example("Snooze", "snoozed"),
  example("SnoozeEnded", "ended the snooze of"),
  example("AddTags", "added the tags `disk` to", { addedTags: "disk" }),
  example("RemoveTags", "removed the tags `old` from", { removedTags: "old" }),
  example("AddTeam", "added the team Island to", { team: "Island" }),
  example("AddRecipient", "added ariel@milan.example to", { recipient: "ariel@milan.example" }),
  example("AssignOwnership", "assigned ariel@milan.example to", { owner: "ariel@milan.example" }),
  example("TakeOwnership", "took over"),
  example("Escalate", "escalated by Nightly", {}, { escalationName: "Nightly" }),
  example("EscalateNext", "escalated to the next"),
  example("UpdateMessage", "changed the message of"),
  example("UpdateDescription", "changed the description of"),
];
