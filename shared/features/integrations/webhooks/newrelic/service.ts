import { listOf, object, type output, text } from "../../fields.ts";
import { handlerOf, integration, required, UnreadablePayload } from "../../integration.ts";
import { code, factList, link, paragraphs, plain } from "../../text.ts";

/** https://docs.newrelic.com/docs/alerts/get-notified/notification-integrations/#webhook */

const payload = object({
  ...{ id: text(), issueUrl: text(), title: text(), priority: text(), state: text(), trigger: text() },
  ...{ totalIncidents: text(), impactedEntities: listOf(text()), workflowName: text() },
  ...{ alertPolicyNames: listOf(text()), alertConditionNames: listOf(text()) },
  // Fields that the template can have besides, and the mark of the channels that were before workflows.
  ...{ acknowledgedBy: text(), owner: text(), incident_id: text(), current_state: text() },
});
type Payload = output<typeof payload>;

/** What has happened to an active issue. */
const triggers: Readonly<Record<string, (payload: Payload) => string>> = {
  INCIDENT_ADDED: () => "has another incident",
  INCIDENT_CLOSED: () => "has an incident fewer",
  PRIORITY_CHANGED: ({ priority }) => `has the priority ${plain(priority.toLowerCase())} now`,
  USER_ACTION: ({ acknowledgedBy, owner }) => {
    const by = plain(acknowledgedBy || owner);
    return `was acknowledged${by ? ` by ${by}` : ""}`;
  },
};

const verbs: Readonly<Record<string, (payload: Payload) => string>> = {
  CREATED: () => "was created",
  ACTIVATED: (sent) => (Object.hasOwn(triggers, sent.trigger) && triggers[sent.trigger]?.(sent)) || "is active",
  DEACTIVATED: () => "is no longer active",
  CLOSED: () => "was closed",
};

const maxNames = 20;
const names = (list: readonly string[]): string => list.slice(0, maxNames).map(code).filter(Boolean).join(", ");

export const service = integration({
  title: "New Relic",
  logo: "newrelic",
  summary: "Issues that are created, activated, acknowledged and closed, with their entities, conditions and policies.",
  setUp: [
    "Open **Alerts → Destinations**, choose **Webhook**, and enter a name and the URL as the endpoint.",
    "In **Alerts → Workflows**, add a workflow, and choose the webhook in **Notify**. Keep the payload template as it is.",
    "Press **Send test notification**, **Save message** and **Activate workflow**.",
  ],
  events: Object.keys(verbs),
  payload,
  toPost(sent) {
    if (!sent.issueUrl && (sent.incident_id || sent.current_state))
      throw new UnreadablePayload("it is from a notification channel of former versions: set up a workflow instead");
    const { id, issueUrl, title, state, priority } = sent;
    required(id || undefined, "id");
    required(issueUrl || undefined, "issueUrl");
    const verb = required(handlerOf(state, "state", verbs, {}), "state");
    return {
      // Titles are longer than topics can be. What an alert condition finds belongs together.
      topic: sent.alertConditionNames[0] || title || `Issue ${id}`,
      content: paragraphs(
        `The issue ${link(title || id, issueUrl)} ${verb(sent)}.`,
        factList([
          ["Priority", plain(priority.toLowerCase())],
          ["Entities", names(sent.impactedEntities)],
          ["Conditions", names(sent.alertConditionNames)],
          ["Policies", names(sent.alertPolicyNames)],
          ["Incidents", /^[01]$/.test(sent.totalIncidents) ? "" : plain(sent.totalIncidents)],
          ["Workflow", plain(sent.workflowName)],
        ]),
      ),
      event: state,
    };
  },
});
