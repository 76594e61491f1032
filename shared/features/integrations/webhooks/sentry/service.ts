import { truncate } from "../../../../base/schema/text.ts";
import { codeBlockOf } from "../../../../core/markdown/source/fenced.ts";
import { oneLine } from "../../../../core/markdown/source/plain.ts";
import { moment } from "../../alerts.ts";
import { flag, listOf, maybe, object, type output, text, unknown } from "../../fields.ts";
import { handlerOf, integration, type Post, required, UnreadablePayload } from "../../integration.ts";
import { isHmac } from "../../signature.ts";
import { code, link, paragraphs, plain, quote, words } from "../../text.ts";

/** https://docs.sentry.io/organization/integrations/integration-platform/webhooks/ */

const person = maybe(object({ name: text(), email: text(), type: text() }));

const frame = object({
  ...{ filename: text(), module: text(), function: text(), lineno: text(), context_line: text(), in_app: flag() },
});
type Frame = output<typeof frame>;

const metadata = maybe(object({ filename: text(), function: text() }));

const event = object({
  title: text(),
  web_url: text(),
  issue_url: text(),
  level: text(),
  datetime: text(),
  platform: text(),
  culprit: text(),
  message: text(),
  environment: text(),
  metadata,
  exception: maybe(
    object({
      values: listOf(object({ type: text(), value: text(), stacktrace: maybe(object({ frames: listOf(frame) })) })),
    }),
  ),
});

const payload = object({
  action: text(),
  /** Of the former plugin alone. */
  culprit: maybe(unknown()),
  actor: maybe(object({ name: text(), type: text() })),
  data: maybe(
    object({
      issue: maybe(
        object({
          title: text(),
          web_url: text(),
          permalink: text(),
          shortId: text(),
          level: text(),
          culprit: text(),
          firstSeen: text(),
          count: text(),
          project: maybe(object({ name: text(), slug: text() })),
          assignedTo: person,
          metadata,
          status: text(),
          substatus: text(),
        }),
      ),
      error: maybe(event),
      event: maybe(event),
      triggered_rule: text(),
      metric_alert: maybe(object({ title: text(), alert_rule: maybe(object({ name: text() })) })),
      description_title: text(),
      description_text: text(),
      web_url: text(),
      comment: text(),
      issue_id: text(),
      project_slug: text(),
      installation: maybe(object({ app: maybe(object({ slug: text() })) })),
    }),
  ),
});
type Payload = output<typeof payload>;
type Handler = (data: NonNullable<Payload["data"]>, action: string, actor: string) => Omit<Post, "event"> | undefined;

const details = (entries: readonly (readonly [string, string | undefined])[]) =>
  entries.flatMap(([name, value]) => (value ? [`**${name}:** ${value}`] : [])).join("\n");

const fileOf = ({ filename, module, lineno }: Frame): string => [filename || module, lineno].filter(Boolean).join(":");

/** Where an exception was thrown: the newest frame comes last. */
function place(frames: readonly Frame[]): string {
  const it = frames.findLast((one) => one.in_app) ?? frames.at(-1);
  if (!it || fileOf(it) === "") return "";
  return `${code(fileOf(it))}${it.function ? ` in ${code(it.function)}` : ""}`;
}

const maxTraceFrames = 8;
const maxTraceLineCharacters = 200;

/** The newest calls, those of the app alone if Sentry knows them, with their lines of the source. */
function trace(frames: readonly Frame[]): string {
  const own = frames.filter(({ in_app }) => in_app);
  const lines = (own.length > 0 ? own : frames).slice(-maxTraceFrames).flatMap((one) => {
    const call = [fileOf(one), one.function && `in ${one.function}`].filter(Boolean).join(" ");
    const [place, source] = [call, one.context_line].map((line) =>
      truncate(oneLine(line), maxTraceLineCharacters, "…"),
    );
    return [place, source && `    ${source}`].filter(Boolean);
  });
  // One call alone is what `place` says.
  return lines.length < 2 ? "" : quote(codeBlockOf(lines.join("\n"), "text"));
}

const eventPost = (it: output<typeof event>, heading: string, rule: string) => {
  // The last one is what was thrown in the end, of others as its reason.
  const exception = it.exception?.values.at(-1);
  const frames = exception?.stacktrace?.frames ?? [];
  const facts = details([
    ["level", plain(it.level)],
    ["timestamp", it.datetime && moment(it.datetime)],
    ["culprit", plain(it.culprit)],
    ["environment", plain(it.environment)],
    ["file", place(frames) || code(it.metadata?.filename ?? "")],
    ["rule", plain(rule)],
  ]);
  return {
    topic: it.title,
    content: [
      `**${heading}:** ${link(it.title, it.web_url || it.issue_url)}`,
      facts,
      exception?.value ? quote(`${exception.type}: ${exception.value}`) : quote(it.message),
      trace(frames),
    ]
      .filter(Boolean)
      .join("\n\n"),
  };
};

const handlers: Record<string, Handler> = {
  issue: ({ issue }, action, actor) => {
    const it = required(issue, "data.issue");
    const title = link(it.title, it.web_url || it.permalink);
    if (action === "created") {
      const facts = details([
        ["project", plain(it.project?.name ?? "")],
        ["level", plain(it.level)],
        ["timestamp", it.firstSeen && moment(it.firstSeen)],
        ["culprit", plain(it.culprit)],
        ["file", code(it.metadata?.filename ?? "")],
        ["assignee", it.assignedTo && plain(it.assignedTo.name)],
      ]);
      return { topic: it.title, content: `**New issue created:** ${title}\n\n${facts}` };
    }
    if (action === "assigned")
      return {
        topic: it.title,
        content: `Issue ${title} has now been assigned to **${plain(it.assignedTo?.name || "someone")}** by **${actor}**.`,
      };
    return { topic: it.title, content: `Issue ${title} was marked as ${plain(words(action))} by **${actor}**.` };
  },
  event_alert: ({ event: given, triggered_rule: rule }) => {
    const it = required(given, "data.event");
    return eventPost(it, it.exception ? "New exception" : "New message event", rule);
  },
  error: ({ error: it }) => eventPost(required(it, "data.error"), "New exception", ""),
  metric_alert: ({ description_title: title, description_text, web_url, metric_alert }, action) => ({
    topic: metric_alert?.alert_rule?.name || metric_alert?.title || title || "Metric alert",
    content: [
      `**${plain(action || "alert")}:** ${link(title || metric_alert?.title || "Metric alert", web_url)}`,
      quote(description_text),
    ]
      .filter(Boolean)
      .join("\n\n"),
  }),
  comment: ({ comment, project_slug: project, issue_id }, action, actor) => ({
    topic: `${project || "Sentry"} / issue ${issue_id}`,
    content: paragraphs(`**${actor}** ${plain(action)} a comment:`, quote(comment)),
  }),
  installation: (_, action, actor) => ({
    topic: "Sentry",
    content: `The integration was ${plain(action)} by ${actor}.`,
  }),
};

const leavesOut = {
  preprod_artifact: "builds of apps",
  seer: "what Sentry's own agent is doing",
};

export const service = integration({
  title: "Sentry",
  logo: "sentry",
  summary: "New issues and errors, and alerts, with what people do about them.",
  setUp: [
    "Open **Settings → Developer Settings → Custom Integrations**, and create an internal integration with the URL as its **Webhook URL**.",
    "Switch on **Alert Rule Action**, give it read access to **Issue & Event**, and choose the webhooks *issue* and *error* as you like.",
    "Its **Client Secret** can be the bot's `webhook_secret`.",
  ],
  events: Object.keys(handlers),
  leavesOut,
  payload,
  deliveryId: (_, { headers }) => headers["request-id"],
  isSigned: ({ headers, body }, secret) => isHmac(headers["sentry-hook-signature"], secret, body),
  toPost({ data, action, actor, culprit }, { headers }) {
    const kind = headers["sentry-hook-resource"] ?? (data?.event ? "event_alert" : data?.issue ? "issue" : "");
    const by = plain(actor?.name || "Sentry");
    if (kind === "" && culprit !== undefined)
      throw new UnreadablePayload(
        "it is of Sentry's former plugin for webhooks: create an internal integration in its place, as the set-up says",
      );
    const handler = handlerOf(kind, "data, or the header Sentry-Hook-Resource,", handlers, leavesOut);
    const post = handler?.(required(data, "data"), action, by);
    return post && { ...post, topic: post.topic || "Sentry", event: kind };
  },
});
