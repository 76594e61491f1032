import { listOf, maybe, object, type output, text, unknown } from "../../fields.ts";
import { integration, required, UnknownEvent, UnreadablePayload } from "../../integration.ts";
import { isHmac } from "../../signature.ts";
import { enumerated, link, plain, quote, words } from "../../text.ts";

/** https://developer.pagerduty.com/docs/webhooks-overview (version 3) */

const reference = object({ html_url: text(), summary: text() });

const payload = object({
  /** Of the former versions. */
  messages: maybe(unknown()),
  event: maybe(
    object({
      id: text(),
      event_type: text(),
      agent: maybe(reference),
      data: maybe(
        object({
          html_url: text(),
          number: text(),
          title: text(),
          summary: text(),
          name: text(),
          urgency: text(),
          message: text(),
          content: text(),
          service: maybe(reference),
          assignees: listOf(reference),
          priority: maybe(reference),
          escalation_policy: maybe(reference),
          teams: listOf(reference),
          incident: maybe(object({ html_url: text(), summary: text() })),
        }),
      ),
    }),
  ),
});

const emoji: Record<string, string> = {
  ...{ triggered: ":alert:", unacknowledged: ":alert:", escalated: ":alert:", reopened: ":alert:" },
  ...{ acknowledged: ":no_good:", resolved: ":check_mark:" },
};

const refer = (it: output<typeof reference> | undefined): string => (it ? link(it.summary, it.html_url) : "");

const incidentEvents = [
  ...["triggered", "acknowledged", "unacknowledged", "resolved", "reopened", "escalated", "delegated", "reassigned"],
  ...["priority_updated", "annotated", "status_update_published", "responder.added", "responder.replied"],
  ...["incident_type.changed", "service_updated", "workflow.started", "workflow.completed"],
].map((name) => `incident.${name}`);

export const service = integration({
  title: "PagerDuty",
  logo: "pagerduty",
  summary: "Incidents that are triggered, acknowledged or resolved, and everything else that happens to them.",
  setUp: [
    "Open **Integrations → Generic Webhooks (v3) → New Webhook**, and enter the URL.",
    "Choose the scope and the events. PagerDuty shows the secret once: it can be the bot's `webhook_secret`.",
  ],
  events: [...incidentEvents, "service.created", "service.updated", "service.deleted", "pagey.ping"],
  payload,
  deliveryId: ({ event }) => event?.id,
  isSigned: ({ headers, body }, secret) =>
    (headers["x-pagerduty-signature"] ?? "")
      .split(",")
      .slice(0, 10)
      .some((given) => isHmac(given.trim(), secret, body, { prefix: "v1=" })),
  toPost({ event: given, messages }) {
    if (!given && messages !== undefined)
      throw new UnreadablePayload(
        "it is of a former version of PagerDuty's webhooks: create a webhook of version 3, as the set-up says",
      );
    const { event_type: event, agent, data } = required(given, "event");
    if (event === "pagey.ping") return { topic: "PagerDuty", content: "The webhook is configured.", event };
    const [kind = "", ...rest] = event.split(".");
    const action = rest.join(" ");
    if (action === "" || !/^(?:service|incident)$/.test(kind)) throw new UnknownEvent(event);
    const about = required(data, "event.data");
    if (kind === "service")
      return {
        topic: `service ${about.name || about.summary}`,
        content: `Service ${link(about.name || about.summary, about.html_url)} was ${plain(words(action))}.`,
        event,
      };
    if (!about.number) {
      // Notes, responders and status updates name the incident by its summary, "[#1234] Title".
      const incident = required(about.incident, "event.data.incident");
      const [, number = ""] = /\[#(\d+)\]/.exec(incident.summary) ?? [];
      return {
        topic: number ? `Incident ${number}` : incident.summary,
        content: [
          `Incident ${refer(incident)}: ${plain(words(action))}${agent ? ` by ${refer(agent)}` : ""}.`,
          quote(about.message || about.content),
        ]
          .filter(Boolean)
          .join("\n\n"),
        event,
      };
    }
    const assignees = about.assignees.length > 0 ? ` (assigned to ${enumerated(about.assignees.map(refer))})` : "";
    const isByService = action === "triggered" || action === "unacknowledged";
    const by = isByService ? refer(about.service) : refer(agent);
    return {
      topic: `Incident ${about.number}`,
      content: [
        `${emoji[action] ?? ":info:"} Incident ${link(about.number, about.html_url)} ${plain(words(action))}${by ? ` by ${by}` : ""}${isByService || /assigned|escalated|delegated/.test(action) ? assignees : ""}.`,
        quote(about.title),
      ]
        .filter(Boolean)
        .join("\n\n"),
      event,
    };
  },
});
