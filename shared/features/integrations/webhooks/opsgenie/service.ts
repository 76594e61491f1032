import * as z from "zod/mini";
import { listOf, object, type output, text } from "../../fields.ts";
import { handlerOf, integration } from "../../integration.ts";
import { code, factList, link, paragraphs, plain, withQuote } from "../../text.ts";

/** https://support.atlassian.com/opsgenie/docs/opsgenie-edge-connector-alert-action-data/ */

const payload = object({
  action: text(),
  integrationName: text(),
  escalationName: text(),
  alert: object({
    alertId: z.string().check(z.minLength(1)),
    ...{ message: text(), tinyId: text(), alias: text(), description: text(), entity: text(), priority: text() },
    ...{ username: text(), note: text(), owner: text(), team: text(), recipient: text() },
    ...{ addedTags: text(), removedTags: text(), tags: listOf(z.string()) },
  }),
});
type Payload = output<typeof payload>;

/** What has been done to the alert, as the rest of a sentence that begins with who did it. */
const verbs: Readonly<Record<string, (payload: Payload) => string>> = {
  Create: () => "created",
  Acknowledge: () => "acknowledged",
  UnAcknowledge: () => "took back the acknowledgement of",
  Close: () => "closed",
  Delete: () => "deleted",
  Snooze: () => "snoozed",
  SnoozeEnded: () => "ended the snooze of",
  AddNote: () => "added a note to",
  AddTags: ({ alert }) => `added the tags ${code(alert.addedTags) || "of"} to`,
  RemoveTags: ({ alert }) => `removed the tags ${code(alert.removedTags) || "of"} from`,
  AddTeam: ({ alert }) => `added the team ${plain(alert.team)} to`,
  AddRecipient: ({ alert }) => `added ${plain(alert.recipient)} to`,
  AssignOwnership: ({ alert }) => `assigned ${plain(alert.owner) || "somebody"} to`,
  TakeOwnership: () => "took over",
  Escalate: ({ escalationName }) => `escalated${escalationName ? ` by ${plain(escalationName)}` : ""}`,
  EscalateNext: () => "escalated to the next",
  UpdatePriority: ({ alert }) => `changed the priority to ${plain(alert.priority)} of`,
  UpdateMessage: () => "changed the message of",
  UpdateDescription: () => "changed the description of",
};

const leavesOut = {
  CustomAction: "custom actions, which other programs carry out",
  UpdateDetails: "custom fields",
};

export const service = integration({
  title: "Opsgenie",
  logo: "opsgenie",
  summary: "Alerts that are created, acknowledged and closed, with their notes, tags, owners and escalations.",
  setUp: [
    "Open **Settings → Integrations → Add integration**, choose **Webhook**, and enter the URL.",
    "Choose the actions in **Alert actions**, and check **Add alert description to payload**.",
    "Press **Turn on integration**.",
  ],
  events: Object.keys(verbs),
  leavesOut,
  payload,
  toPost(payload) {
    const { action, alert } = payload;
    const verb = handlerOf(action, "action", verbs, leavesOut);
    if (!verb) return undefined;
    const title = alert.message || alert.alias || alert.alertId;
    const url = `https://app.opsgenie.com/alert/detail/${encodeURIComponent(alert.alertId.toWellFormed())}/details`;
    const sentence = `${plain(alert.username) || "Opsgenie"} ${verb(payload)} the alert ${link(title, url)}`;
    const facts = factList([
      ["Priority", action === "UpdatePriority" ? "" : plain(alert.priority)],
      ["Entity", plain(alert.entity)],
      ["Tags", alert.tags.slice(0, 30).map(code).join(", ")],
      ["Integration", action === "Create" ? plain(payload.integrationName) : ""],
    ]);
    const quoted = action === "Create" || action === "UpdateDescription" ? alert.description : alert.note;
    return {
      topic: title,
      content: paragraphs(withQuote(sentence, quoted), facts),
      event: action,
    };
  },
});
