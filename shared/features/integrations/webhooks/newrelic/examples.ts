import type { Example } from "../../example.ts";

const title = "island-web query result is > 90.0 for 5 minutes on 'Disk full'";
const issueUrl = "https://radar-api.service.newrelic.com/accounts/1/issues/0ea2df1c-adab-45d2?notifier=WEBHOOK";
const issue = {
  ...{ id: "0ea2df1c-adab-45d2", issueUrl, title, priority: "CRITICAL", impactedEntities: ["island-web"] },
  ...{ totalIncidents: 1, state: "ACTIVATED", trigger: "STATE_CHANGE", isCorrelated: false },
  ...{ createdAt: 1772366400000, updatedAt: 1772366460000, sources: ["newrelic"] },
  ...{ alertPolicyNames: ["Golden signals"], alertConditionNames: ["Disk full"], workflowName: "Island" },
};

const example = (changed: Partial<typeof issue> & Record<string, unknown>, verb: string): Example => {
  const { priority, impactedEntities: entities, totalIncidents: count } = { ...issue, ...changed };
  const facts = [
    `* **Priority**: ${priority.toLowerCase()}`,
    `* **Entities**: ${entities.map((name) => `\`${name}\``).join(", ")}`,
    ...["* **Conditions**: `Disk full`", "* **Policies**: `Golden signals`"],
    ...(count > 1 ? [`* **Incidents**: ${count}`] : []),
    "* **Workflow**: Island",
  ];
  return [
    {},
    { ...issue, ...changed },
    "Disk full",
    `The issue [${title}](${issueUrl}) ${verb}.\n\n${facts.join("\n")}`,
  ];
};

export const examples: Example[] = [
  example({ state: "CREATED" }, "was created"),
  example({}, "is active"),
  example(
    { trigger: "INCIDENT_ADDED", totalIncidents: 2, impactedEntities: ["island-web", "island-db"] },
    "has another incident",
  ),
  example({ trigger: "INCIDENT_CLOSED" }, "has an incident fewer"),
  example({ trigger: "PRIORITY_CHANGED", priority: "HIGH" }, "has the priority high now"),
  example({ trigger: "USER_ACTION" }, "was acknowledged"),
  // With fields that the template can have besides.
  example({ trigger: "USER_ACTION", owner: "Miranda", acknowledgedAt: 1772366520000 }, "was acknowledged by Miranda"),
  example({ state: "DEACTIVATED", trigger: "STATE_CHANGE" }, "is no longer active"),
  example({ state: "CLOSED", trigger: "INCIDENT_CLOSED" }, "was closed"),
];
