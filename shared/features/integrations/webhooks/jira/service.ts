import { listOf, maybe, object, type output, text } from "../../fields.ts";
import { handlerOf, integration, type Post, required, UnreadablePayload } from "../../integration.ts";
import { fromJiraMarkup } from "../../jira-markup.ts";
import { isHmac } from "../../signature.ts";
import { link, paragraphs, plain, quote, withQuote, words } from "../../text.ts";

/** https://developer.atlassian.com/cloud/jira/platform/webhooks/ */

const user = maybe(object({ displayName: text(), name: text(), accountId: text() }));
type Person = output<typeof user>;
const named = maybe(object({ name: text() }));

const payload = object({
  webhookEvent: text(),
  issue_event_type_name: text(),
  user,
  issue: maybe(
    object({
      key: text(),
      self: text(),
      fields: maybe(
        object({
          summary: text(),
          description: text(),
          priority: named,
          assignee: user,
          reporter: user,
          status: named,
          issuetype: named,
          project: named,
        }),
      ),
    }),
  ),
  comment: maybe(object({ self: text(), body: text(), author: user, updateAuthor: user })),
  changelog: maybe(object({ items: listOf(object({ field: text(), fromString: text(), toString: text() })) })),
  sprint: maybe(object({ name: text(), state: text() })),
  version: maybe(object({ name: text() })),
  project: maybe(object({ name: text(), key: text() })),
});
type Payload = output<typeof payload>;

const maxChanges = 20;

function issuePost(payload: Payload): Omit<Post, "event"> | undefined {
  const { webhookEvent, issue_event_type_name: kind, user: by, comment, changelog } = payload;
  const issue = required(payload.issue ?? issueOfComment(comment?.self ?? ""), "issue");
  const { fields } = issue;
  const title = [issue.key, fields?.summary].filter(Boolean).join(": ");
  const topic = title || "Jira";
  const origin = URL.parse(issue.self)?.origin;
  const it = link(title, origin && `${origin}/browse/${issue.key}`) || "an issue";
  const author = plain(nameOf(comment?.updateAuthor) || nameOf(comment?.author) || nameOf(by) || "Someone");
  const assignee = plain(nameOf(fields?.assignee));
  const people = [by, comment?.author, comment?.updateAuthor, fields?.assignee, fields?.reporter];
  const names = new Map(people.flatMap((one) => (one ? [one.accountId, one.name].map((id) => [id, nameOf(one)]) : [])));
  const markup = (text: string | undefined) => fromJiraMarkup(text ?? "", names);
  switch (webhookEvent) {
    case "jira:issue_created": {
      const facts = [
        ["Type", fields?.issuetype?.name],
        ["Priority", fields?.priority?.name],
        ["Assignee", nameOf(fields?.assignee)],
      ].flatMap(([name, value]) => (value ? [`* **${name}**: ${plain(value)}`] : []));
      return {
        topic,
        content: [withQuote(`${author} created ${it}`, markup(fields?.description)), facts.join("\n")]
          .filter(Boolean)
          .join("\n\n"),
      };
    }
    case "jira:issue_deleted":
      return { topic, content: `${author} deleted ${it}.` };
    case "jira:issue_updated": {
      const changes = (changelog?.items ?? [])
        .filter(({ field }) => !/^(Rank|WorklogId|timespent|timeestimate)$/.test(field))
        .slice(0, maxChanges)
        .map(({ field, fromString, toString: after }) =>
          field === "description"
            ? "* Changed description"
            : `* Changed ${plain(field)}${fromString ? ` from **${plain(fromString)}**` : ""} to **${plain(after || "none")}**`,
        );
      // Of a deleted comment, Jira sends only the event's name.
      if (changes.length === 0)
        return comment || kind.startsWith("issue_comment")
          ? commentPost(topic, author, it, kind, markup(comment?.body))
          : undefined;
      const update = `${author} updated ${it}${assignee ? ` (assigned to **${assignee}**)` : ""}:\n\n${changes.join("\n")}`;
      // A step of the workflow may ask for a comment.
      return { topic, content: paragraphs(update, quote(markup(comment?.body))) };
    }
    case "comment_created":
    case "comment_updated":
    case "comment_deleted":
      return commentPost(topic, author, it, webhookEvent, markup(comment?.body));
    default:
      return undefined;
  }
}

const nameOf = (person: Person): string => person?.displayName || person?.name || "";

/** Former versions name a comment's issue only by its ID, in the comment's address. */
function issueOfComment(self: string): Payload["issue"] {
  const [, id] = /\/issue\/(\d{1,20})\/comment\//.exec(self) ?? [];
  return id === undefined ? undefined : { key: `Issue ${id}`, self: "", fields: undefined };
}

/** `event`: "comment_updated" of a webhook for comments, or "issue_comment_edited" of one for issues. */
function commentPost(topic: string, author: string, it: string, event: string, body: string): Omit<Post, "event"> {
  const verb = /_(edited|updated)$/.test(event)
    ? "updated their comment on"
    : /_deleted$/.test(event)
      ? "deleted a comment on"
      : "commented on";
  return { topic, content: withQuote(`${author} ${verb} ${it}`, body) };
}

/** "sprint_started" of a sprint, "jira:version_released" of a version, "project_created". */
function otherPost({ webhookEvent, sprint, version, project }: Payload): Omit<Post, "event"> | undefined {
  const [, kind = "", action = ""] = /^(?:jira:)?(sprint|version|project)_(\w+)$/.exec(webhookEvent) ?? [];
  const name = { sprint: sprint?.name, version: version?.name, project: project?.name }[kind];
  if (!name) throw new UnreadablePayload(`the field ${kind} is missing`);
  const title = kind.charAt(0).toUpperCase() + kind.slice(1);
  return { topic: `${title} ${name}`, content: `${title} **${plain(name)}** was ${plain(words(action))}.` };
}

const handlers = Object.fromEntries([
  ...[
    ...["jira:issue_created", "jira:issue_updated", "jira:issue_deleted"],
    ...["comment_created", "comment_updated", "comment_deleted"],
  ].map((event) => [event, issuePost] as const),
  ...[
    ...["sprint_created", "sprint_started", "sprint_updated", "sprint_closed", "sprint_deleted"],
    ...["jira:version_created", "jira:version_released", "jira:version_unreleased", "jira:version_deleted"],
    ...["project_created", "project_updated", "project_deleted"],
  ].map((event) => [event, otherPost] as const),
]);

const leavesOut = {
  "attachment_*": "files, which are named by changes to issues",
  "board_*": "boards",
  "issuelink_*": "links between issues, which are named by changes to issues",
  "issue_property_*": "data that other programs attach to issues",
  "jira:issue_updated": "changes of only the rank or the logged time",
  "jira:version_*": "changes to versions, except those that are posted",
  "jira:worklog_*": "working time",
  "option_*": "settings of Jira",
  "project_*": "changes to projects, except those that are posted",
  "sprint_*": "changes to sprints, except those that are posted",
  "user_*": "accounts",
  "worklog_*": "working time",
};

export const service = integration({
  title: "Jira",
  logo: "jira",
  summary: "Issues that are created, changed and deleted, comments, sprints and versions.",
  setUp: [
    "As an administrator, open **Settings → System → WebHooks → Create a WebHook**, and enter the URL.",
    "Choose the events. A **Secret** is optional; leave *Exclude body* switched off.",
  ],
  events: Object.keys(handlers),
  payload,
  deliveryId: (_, { headers }) => headers["x-atlassian-webhook-identifier"],
  isSigned: ({ headers, body }, secret) => isHmac(headers["x-hub-signature"], secret, body, { prefix: "sha256=" }),
  leavesOut,
  toPost(payload) {
    const event = payload.webhookEvent;
    const handler = handlerOf(event, "webhookEvent", handlers, leavesOut);
    const post = handler?.(payload);
    return post && { ...post, event };
  },
});
