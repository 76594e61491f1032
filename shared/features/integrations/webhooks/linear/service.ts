import { listOf, maybe, number, object, type output, record, text, unknown } from "../../fields.ts";
import { handlerOf, integration, type Post, required, UnreadablePayload } from "../../integration.ts";
import { isHmac, isRecent } from "../../signature.ts";
import { link, paragraphs, plain, quote, withQuote } from "../../text.ts";

/** https://linear.app/developers/webhooks */

const named = maybe(object({ name: text(), title: text() }));

const payload = object({
  action: text(),
  type: text(),
  url: text(),
  webhookTimestamp: number(),
  actor: maybe(object({ name: text() })),
  updatedFrom: maybe(record(text(), unknown())),
  data: maybe(
    object({
      title: text(),
      name: text(),
      description: text(),
      body: text(),
      url: text(),
      identifier: text(),
      parentId: text(),
      priorityLabel: text(),
      health: text(),
      emoji: text(),
      number: text(),
      targetDate: text(),
      state: named,
      status: named,
      team: named,
      assignee: named,
      lead: named,
      user: named,
      issue: named,
      project: named,
      projectUpdate: maybe(object({ project: named })),
      comment: maybe(object({ body: text() })),
      labels: listOf(object({ name: text() })),
    }),
  ),
});
type Payload = output<typeof payload>;
type Data = NonNullable<Payload["data"]>;

const facts = (entries: readonly (readonly [string, string | undefined])[]) =>
  entries.flatMap(([name, value]) => (value ? [`${name}: ${plain(value)}`] : [])).join(", ");

/** What people see of a change; the rest, such as the order in a list, is noise. */
const visibleFields = new Set([
  ...[
    "title",
    "description",
    "priority",
    "stateId",
    "assigneeId",
    "dueDate",
    "labelIds",
    "projectId",
    "parentId",
    "cycleId",
  ],
  ...["name", "statusId", "leadId", "targetDate", "startDate", "health", "content", "estimate", "teamId"],
]);
const isVisibleChange = ({ action, updatedFrom }: Payload) =>
  action !== "update" || !updatedFrom || Object.keys(updatedFrom).some((field) => visibleFields.has(field));

function issue(payload: Payload, data: Data) {
  const kind = data.parentId ? "Sub-issue" : "Issue";
  const topic = `${kind}: ${data.title}`;
  const team = data.team?.name ? ` in team ${plain(data.team.name)}` : "";
  if (payload.action === "remove")
    return {
      topic,
      content: `This issue has been removed${data.team?.name ? ` from team ${plain(data.team.name)}` : ""}.`,
    };
  if (!isVisibleChange(payload)) return undefined;
  const sentence = `${link(kind, data.url || payload.url)} was ${payload.action === "create" ? "created" : "updated"}${team}`;
  const showsText = payload.action === "create" || payload.updatedFrom?.description !== undefined;
  const list = facts([
    ["Priority", /^no priority$/i.test(data.priorityLabel) ? "" : data.priorityLabel],
    ["Assignee", data.assignee?.name],
    ["Status", data.state?.name],
  ]);
  return {
    topic,
    content: paragraphs(withQuote(sentence, showsText ? data.description : ""), list && `${list}.`),
  };
}

function comment({ action, url, actor }: Payload, data: Data) {
  const title = data.issue?.title || data.project?.name || data.projectUpdate?.project?.name || "";
  const topic = data.issue ? `Issue: ${title}` : `Project: ${title}`;
  const by = plain(actor?.name || data.user?.name || "Someone");
  if (action === "remove") return { topic, content: `${by} has removed a comment.` };
  const verb = link(action === "create" ? "commented" : "updated comment", url || data.url);
  return {
    topic,
    content: withQuote(`${by} ${verb} on ${data.issue ? "issue" : "project"} **${plain(title)}**`, data.body),
  };
}

function project(payload: Payload, data: Data) {
  const topic = `Project: ${data.name}`;
  const by = plain(payload.actor?.name || "Someone");
  if (payload.action === "remove") return { topic, content: `${by} removed project **${plain(data.name)}**.` };
  if (!isVisibleChange(payload)) return undefined;
  const list = facts([
    ["Status", data.status?.name],
    ["Lead", data.lead?.name],
    ["Target date", data.targetDate],
  ]);
  const verb = payload.action === "create" ? "created" : "updated";
  const text = payload.action === "create" ? data.description : "";
  return {
    topic,
    content: [withQuote(`${by} ${verb} project ${link(data.name, data.url || payload.url)}`, text), list && `${list}.`]
      .filter(Boolean)
      .join("\n\n"),
  };
}

function projectUpdate({ action, url, actor }: Payload, data: Data) {
  const name = data.project?.name ?? "";
  const topic = `Project: ${name}`;
  const by = plain(actor?.name || data.user?.name || "Someone");
  if (action === "remove") return { topic, content: `${by} removed a status update on **${plain(name)}**.` };
  const health = data.health
    ? ` (health: ${plain(data.health.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase())})`
    : "";
  return {
    topic,
    content: withQuote(
      `${by} ${link(action === "create" ? "posted" : "edited", url || data.url)} a status update on **${plain(name)}**${health}`,
      data.body,
    ),
  };
}

const handlers: Record<string, (payload: Payload, data: Data) => Omit<Post, "event"> | undefined> = {
  Issue: issue,
  Comment: comment,
  Project: project,
  ProjectUpdate: projectUpdate,
  Cycle: ({ action, url }, data) => ({
    topic: `Cycle ${data.number} ${data.name}`.trim(),
    content: `${link("Cycle", url)} ${plain(data.name || data.number)} was ${action === "create" ? "created" : action === "remove" ? "removed" : "updated"}.`,
  }),
  Reaction: ({ action, actor, url }, data) =>
    action === "create"
      ? {
          topic: data.issue ? `Issue: ${data.issue.title}` : "Reactions",
          content: [
            `${plain(actor?.name || data.user?.name || "Someone")} ${link("reacted", url)} with :${plain(data.emoji)}:`,
            quote(data.comment?.body),
          ]
            .filter(Boolean)
            .join("\n\n"),
        }
      : undefined,
  Customer: ({ action, actor }, data) => ({
    topic: `Customer: ${data.name}`,
    content: `${plain(actor?.name || "Someone")}: customer **${plain(data.name)}** ${plain(action)}d.`,
  }),
};

const leavesOut = {
  Attachment: "files and links, which issues show",
  Document: "documents",
  Initiative: "plans across projects",
  InitiativeUpdate: "plans across projects",
  "Issue.update": "changes of order and of other fields that a reader does not see",
  IssueLabel: "the list of labels",
  IssueSLA: "response times, which Linear itself sends reminders about",
  OAuthApp: "apps",
  "Project.update": "changes of order and of other fields that a reader does not see",
  ProjectLabel: "the list of labels",
  "Reaction.remove": "removed or changed reactions",
  "Reaction.update": "removed or changed reactions",
  User: "accounts",
};

export const service = integration({
  title: "Linear",
  logo: "linear",
  summary: "Issues, comments, projects and their status updates, cycles and reactions.",
  setUp: [
    "Open **Settings → API → Webhooks → New webhook**, and enter the URL.",
    "Choose the teams and the events. The **Signing secret** that Linear shows can be the bot's `webhook_secret`.",
  ],
  events: ["create", "update", "remove"]
    .flatMap((action) => Object.keys(handlers).map((type) => `${type}.${action}`))
    .filter((event) => !/^Reaction\.(update|remove)$/.test(event))
    .sort(),
  leavesOut,
  payload,
  deliveryId: (_, { headers }) => headers["linear-delivery"],
  isSigned: ({ headers, body }, secret) =>
    isHmac(headers["linear-signature"], secret, body) && isRecent(timestampIn(body)),
  toPost(payload) {
    const { type, action, data } = payload;
    if (action === "") throw new UnreadablePayload("the field action is missing");
    const handler = handlerOf(type, "type", handlers, leavesOut);
    const post = handler?.(payload, required(data, "data"));
    return post && { ...post, event: `${type}.${action}` };
  },
});

/** The time of a delivery is in its body, in milliseconds. */
function timestampIn(body: Buffer): string | undefined {
  const [, milliseconds] = /"webhookTimestamp"\s*:\s*(\d{13})\b/.exec(body.toString("utf8")) ?? [];
  return milliseconds?.slice(0, -3);
}
