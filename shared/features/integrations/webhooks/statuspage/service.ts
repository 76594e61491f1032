import * as z from "zod/mini";
import { moment } from "../../alerts.ts";
import { listOf, maybe, object, type output, text } from "../../fields.ts";
import { integration, type Post, UnreadablePayload } from "../../integration.ts";
import { link, paragraphs, plain, withQuote, words } from "../../text.ts";

/** https://support.atlassian.com/statuspage/docs/enable-webhook-notifications/ */

const payload = object({
  page: object({ status_description: text() }),
  incident: maybe(
    object({
      name: z.string().check(z.minLength(1)),
      ...{ status: text(), impact: text(), shortlink: text(), scheduled_for: text(), scheduled_until: text() },
      incident_updates: listOf(
        object({
          status: text(),
          body: text(),
          affected_components: listOf(object({ name: text(), new_status: text() })),
        }),
      ),
    }),
  ),
  component: maybe(object({ name: z.string().check(z.minLength(1)), status: text() })),
  component_update: maybe(object({ old_status: text(), new_status: text() })),
});
type Payload = output<typeof payload>;

const maxComponents = 20;

function incidentPost(incident: NonNullable<Payload["incident"]>, page: string): Post {
  const [update] = incident.incident_updates;
  const isNew = incident.incident_updates.length <= 1;
  const status = update?.status || incident.status;
  const isMaintenance = incident.scheduled_for !== "" || incident.impact === "maintenance";
  const kind = isMaintenance ? "maintenance" : "incident";
  const components = (update?.affected_components ?? [])
    .slice(0, maxComponents)
    .map(({ name, new_status }) => `* ${plain(name)}: ${plain(words(new_status))}`);
  const title = link(incident.name, incident.shortlink);
  const sentence = isNew
    ? `New ${kind}: **${title}** is ${plain(words(status))}`
    : `The ${kind} **${title}** is ${plain(words(status))}`;
  const facts = [
    incident.impact && !isMaintenance && `* **Impact**: ${plain(incident.impact)}`,
    incident.scheduled_for && `* **From**: ${moment(incident.scheduled_for)}`,
    incident.scheduled_until && `* **Until**: ${moment(incident.scheduled_until)}`,
    page && `* **Page**: ${plain(page)}`,
    ...components,
  ].filter(Boolean);
  return {
    topic: incident.name,
    content: paragraphs(withQuote(sentence, update?.body), facts.join("\n")),
    event: isNew ? "incident_created" : "incident_updated",
  };
}

export const service = integration({
  title: "Statuspage",
  logo: "statuspage",
  summary: "Incidents, maintenance and components of the status pages of services that you use, or of your own.",
  setUp: [
    "Open the status page, and press **Subscribe to updates**.",
    "Choose the tab **Webhook**, and enter the URL, and an address to which problems are mailed.",
  ],
  events: ["incident_created", "incident_updated", "component_updated"],
  payload,
  toPost({ page, incident, component, component_update: update }) {
    if (incident) return incidentPost(incident, page.status_description);
    if (!component) throw new UnreadablePayload("it has neither an incident nor a component");
    const before = update?.old_status ? ` from **${plain(words(update.old_status))}**` : "";
    const status = plain(words(update?.new_status || component.status));
    return {
      topic: component.name,
      content: `**${plain(component.name)}** has changed status${before} to **${status}**.`,
      event: "component_updated",
    };
  },
});
