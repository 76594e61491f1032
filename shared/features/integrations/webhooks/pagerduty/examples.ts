import { type Example, quoted } from "../../example.ts";

const pagerduty = (event_type: string, data: object, agent?: object) => ({
  event: { id: `01BFJ6PV2QJX-${event_type}`, event_type, resource_type: "incident", agent, data },
});

const incident = {
  html_url: "https://acme.pagerduty.com/incidents/PGR0VU2",
  number: 2,
  title: "A little bump in the road",
  service: { html_url: "https://acme.pagerduty.com/services/PF9KMXH", summary: "API Service" },
  assignees: [{ html_url: "https://acme.pagerduty.com/users/PTUXL6G", summary: "User 123" }],
};

const engineer = { html_url: "https://acme.pagerduty.com/users/PLH1HKV", summary: "Tenex Engineer" };
const changes = [
  ...["acknowledged", "unacknowledged", "resolved", "reopened", "escalated", "delegated", "reassigned"],
  ...["incident_type.changed", "service_updated"],
];
/** Their data name the incident instead of being one. */
const attached = [
  "status_update_published",
  "responder.added",
  "responder.replied",
  "workflow.started",
  "workflow.completed",
];
const named = { incident: { html_url: incident.html_url, summary: "[#2] A little bump in the road" } };
const service = { html_url: "https://acme.pagerduty.com/services/PF9KMXH", summary: "API Service" };

export const examples: Example[] = [
  [
    {},
    pagerduty("incident.triggered", incident),
    "Incident 2",
    `:alert: Incident [2](https://acme.pagerduty.com/incidents/PGR0VU2) triggered by [API Service](https://acme.pagerduty.com/services/PF9KMXH) (assigned to [User 123](https://acme.pagerduty.com/users/PTUXL6G)).\n\n${quoted("A little bump in the road")}`,
  ],
  [
    {},
    {
      event: {
        ...pagerduty("incident.priority_updated", incident, {
          html_url: "https://acme.pagerduty.com/users/PLH1HKV",
          summary: "Tenex Engineer",
        }).event,
        id: "2",
      },
    },
    "Incident 2",
    `:info: Incident [2](https://acme.pagerduty.com/incidents/PGR0VU2) priority updated by [Tenex Engineer](https://acme.pagerduty.com/users/PLH1HKV).\n\n${quoted("A little bump in the road")}`,
  ],
  [
    {},
    {
      event: {
        ...pagerduty("incident.annotated", {
          content: "Looking into it",
          incident: {
            html_url: "https://acme.pagerduty.com/incidents/PGR0VU2",
            summary: "[#2] A little bump in the road",
          },
        }).event,
        id: "3",
      },
    },
    "Incident 2",
    `Incident [&#x5b;#2&#x5d; A little bump in the road](https://acme.pagerduty.com/incidents/PGR0VU2): annotated.\n\n${quoted("Looking into it")}`,
  ],
  ...changes.map((action): Example => [{}, pagerduty(`incident.${action}`, incident, engineer)]),
  ...attached.map(
    (action): Example => [
      {},
      pagerduty(
        `incident.${action}`,
        action.startsWith("status") ? { ...named, message: "Looking into it" } : named,
        engineer,
      ),
    ],
  ),
  ...["created", "updated", "deleted"].map(
    (action): Example => [{}, pagerduty(`service.${action}`, service, engineer)],
  ),
  [{}, pagerduty("pagey.ping", { message: "Hello from your friend Pagey!" })],
];
