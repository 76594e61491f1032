import * as z from "zod/mini";
import { flag, listOf, maybe, object, type output, record, text } from "../../fields.ts";
import { deletedBranchText, fromTo, isBranchWanted, markdown, numberedTopic, pushText, refName } from "../../git.ts";
import { handlerOf, integration, type Post, required } from "../../integration.ts";
import { isSame } from "../../signature.ts";
import { enumerated, link, paragraphs, plain, withQuote, words } from "../../text.ts";

/** https://docs.gitlab.com/user/project/integrations/webhook_events/ */

const named = object({ name: text(), username: text(), web_url: text() });
const discussed = { iid: text(), title: text(), url: text(), description: markdown() };
const job = object({ name: text(), status: text(), stage: text() });

const payload = object({
  object_kind: text(),
  event_name: text(),
  user_name: text(),
  user_username: text(),
  user: maybe(named),
  ref: text(),
  before: text(),
  after: text(),
  checkout_sha: text(),
  total_commits_count: text(),
  project: maybe(object({ name: text(), web_url: text(), path_with_namespace: text() })),
  repository: maybe(object({ name: text(), homepage: text() })),
  group: maybe(object({ name: text(), group_name: text() })),
  commits: listOf(object({ id: text(), message: text(), url: text(), author: maybe(object({ name: text() })) })),
  object_attributes: maybe(
    object({
      ...discussed,
      id: text(),
      action: text(),
      state: text(),
      note: markdown(),
      type: text(),
      noteable_type: text(),
      source_branch: text(),
      target_branch: text(),
      oldrev: text(),
      ref: text(),
      tag: flag(),
      status: text(),
      message: text(),
      name: text(),
      active: flag(),
      draft: flag(),
    }),
  ),
  assignees: listOf(named),
  changes: maybe(record(text(), z.unknown())),
  merge_request: maybe(object(discussed)),
  issue: maybe(object(discussed)),
  snippet: maybe(object({ id: text(), title: text(), url: text() })),
  commit: maybe(object({ id: text(), url: text(), message: text(), title: text() })),
  builds: listOf(job),
  build_name: text(),
  build_stage: text(),
  build_status: text(),
  build_id: text(),
  environment: text(),
  status: text(),
  deployable_url: text(),
  short_sha: text(),
  commit_url: text(),
  action: text(),
  tag: text(),
  name: text(),
  description: text(),
  url: text(),
  group_name: text(),
  project_name: text(),
});
type Payload = output<typeof payload>;

interface Context {
  user: string;
  project: string;
  projectUrl: string;
  branches: string | undefined;
}
type Handler = (payload: Payload, context: Context) => Omit<Post, "event"> | undefined;

const zeroes = /^0+$/;

function push({ ref, after, before, commits, total_commits_count: count }: Payload, context: Context) {
  const branch = refName(ref);
  if (!isBranchWanted(branch, context.branches)) return undefined;
  const topic = `${context.project} / ${branch}`;
  if (zeroes.test(after)) return { topic, content: deletedBranchText(context.user, context.projectUrl, branch) };
  const isNew = zeroes.test(before);
  const url = `${context.projectUrl}/${isNew ? `-/tree/${branch}` : `-/compare/${before}...${after}`}`;
  const list = commits.map(({ id, message, url: at, author }) => ({
    sha: id,
    message,
    url: at,
    author: author?.name ?? "",
  }));
  const total = Math.max(Number(count) || 0, list.length);
  return { topic, content: pushText({ user: context.user, url, branch, commits: list, count: total }) };
}

const tagPush: Handler = ({ ref, after }, { project, projectUrl, user }) => {
  const tag = refName(ref);
  const isRemoval = zeroes.test(after);
  const label = isRemoval ? plain(tag) : link(tag, `${projectUrl}/-/tags/${tag}`);
  return { topic: project, content: `${plain(user)} ${isRemoval ? "removed" : "pushed"} tag ${label}.` };
};

const pastTense: Record<string, string> = { open: "created", close: "closed", reopen: "reopened", update: "updated" };

const workItemTypes = [
  ...["issue", "incident", "task", "epic", "objective", "key result", "requirement", "test case", "ticket"],
];

const issue: Handler = ({ object_attributes: it, assignees, object_kind, changes }, context) => {
  if (!it) return undefined;
  const kind = workItemTypes.find((type) => type === it.type.toLowerCase()) ?? words(object_kind);
  const title = link(`${kind} #${it.iid}`, it.url);
  const assigned =
    it.action === "open" && assignees.length > 0
      ? ` (assigned to ${enumerated(assignees.map(({ name }) => plain(name)))})`
      : "";
  const text = withQuote(
    `${plain(context.user)} ${pastTense[it.action] ?? words(it.action || it.state)} ${title}${assigned}`,
    it.action === "open" ? it.description : "",
  );
  return {
    topic: numberedTopic(context.project, `${kind} #`, it.iid, it.title),
    content: paragraphs(text, it.action === "update" ? changesOf(changes ?? {}) : ""),
  };
};

const mergeRequestActions: Record<string, string> = {
  ...{ open: "created", close: "closed", reopen: "reopened", merge: "merged", approved: "approved" },
  ...{ approval: "approved", unapproved: "unapproved", unapproval: "unapproved" },
};

const shownChanges = [
  ...["title", "description", "target_branch", "draft", "labels", "assignees", "reviewers", "due_date", "weight"],
  ...["confidential", "severity"],
];

/** What an update changed, of what people see. */
const changesOf = (changes: Readonly<Record<string, unknown>>): string =>
  shownChanges
    .flatMap((name) => {
      const { previous, current } = change.parse(changes[name]);
      const [before, after] = [shownValue(previous), shownValue(current)];
      if (name === "description") return changes[name] === undefined ? [] : ["* Changed the description"];
      return before === after ? [] : [`* Changed ${words(name)} from **${before}** to **${after}**`];
    })
    .join("\n");

const change = z.catch(object({ previous: z.unknown(), current: z.unknown() }), {
  previous: undefined,
  current: undefined,
});

/** A value of a change, which may be a list of people or of labels. */
const shownValue = (value: unknown): string =>
  Array.isArray(value)
    ? listOf(object({ title: text(), name: text() }), 20)
        .parse(value)
        .map(({ title, name }) => plain(title || name))
        .join(", ") || "none"
    : typeof value === "boolean"
      ? value
        ? "yes"
        : "no"
      : plain(text().parse(value)) || "none";

const mergeRequest: Handler = ({ object_attributes: it, assignees, changes }, context) => {
  if (!it) return undefined;
  // An update without a new commit changes labels and the like.
  const action =
    it.action === "update" ? (it.oldrev ? "added commit(s) to" : "updated") : mergeRequestActions[it.action];
  if (action === undefined) return undefined;
  const title = link(`MR !${it.iid}`, it.url);
  const isOpening = it.action === "open";
  const assigned =
    isOpening && assignees.length > 0 ? ` (assigned to ${enumerated(assignees.map(({ name }) => plain(name)))})` : "";
  const branches = isOpening ? fromTo(it.source_branch, it.target_branch) : "";
  const changed = it.action === "update" && !it.oldrev ? changesOf(changes ?? {}) : "";
  const text = withQuote(
    `${plain(context.user)} ${action} ${title}${assigned}${branches}`,
    isOpening ? it.description : "",
  );
  return {
    topic: numberedTopic(context.project, "MR !", it.iid, it.title),
    content: changed === "" ? text : `${text}\n\n${changed}`,
  };
};

const note: Handler = (payload, context) => {
  const { object_attributes: it, merge_request: mr, issue: about, snippet, commit } = payload;
  if (!it) return undefined;
  const { project } = context;
  const [topic, target] = mr
    ? [numberedTopic(project, "MR !", mr.iid, mr.title), link(`MR !${mr.iid}`, it.url.split("#")[0])]
    : about
      ? [numberedTopic(project, "issue #", about.iid, about.title), link(`issue #${about.iid}`, it.url.split("#")[0])]
      : snippet
        ? [
            numberedTopic(project, "snippet #", snippet.id, snippet.title),
            link(`snippet #${snippet.id}`, it.url.split("#")[0]),
          ]
        : [project, link((commit?.id ?? "a commit").slice(0, 12), commit?.url)];
  const verb = it.action === "update" ? "edited a comment" : "commented";
  return { topic, content: withQuote(`${plain(context.user)} ${link(verb, it.url)} on ${target}`, it.note) };
};

const pipeline: Handler = ({ object_attributes: it, builds }, context) => {
  if (!it || !isBranchWanted(it.ref, context.branches)) return undefined;
  if (!/^(success|failed|canceled|skipped)$/.test(it.status)) return undefined;
  const title = link(`Pipeline (${it.id})`, it.url || `${context.projectUrl}/-/pipelines/${it.id}`);
  const jobs = builds.slice(0, 30).map(({ name, status }) => `* ${plain(name)} - ${plain(status)}`);
  const content = `${title} changed status to ${plain(it.status)}${jobs.length > 0 ? ` with build(s):\n${jobs.join("\n")}` : "."}`;
  return { topic: `${context.project} / ${it.ref}`, content };
};

const handlers: Record<string, Handler> = {
  push,
  tag_push: tagPush,
  issue,
  work_item: issue,
  merge_request: mergeRequest,
  note,
  pipeline,
  build: (payload, context) =>
    /^(success|failed|canceled)$/.test(payload.build_status) && isBranchWanted(payload.ref, context.branches)
      ? {
          topic: `${context.project} / ${payload.ref}`,
          content: `Build ${link(payload.build_name, `${context.projectUrl || payload.repository?.homepage}/-/jobs/${payload.build_id}`)} from ${plain(payload.build_stage)} stage ${payload.build_status === "success" ? "succeeded" : plain(payload.build_status)}.`,
        }
      : undefined,
  wiki_page: ({ object_attributes: it }, context) =>
    it && {
      topic: `${context.project} / wiki pages`,
      content: withQuote(
        `${plain(context.user)} ${{ create: "created", update: "updated", delete: "deleted" }[it.action] ?? plain(it.action)} ${link(`wiki page "${it.title}"`, it.url)}`,
        it.message,
      ),
    },
  deployment: ({ environment, status, deployable_url, short_sha, commit_url }, context) => ({
    topic: `${context.project} / Deployment on ${environment}`,
    content: `${link("Deployment", deployable_url)} of ${link(short_sha, commit_url)} to ${plain(environment)} changed status to ${plain(status)}.`,
  }),
  release: ({ action, name, tag, url, description }, context) => ({
    topic: context.project,
    content: withQuote(
      `${{ create: "Created", update: "Updated", delete: "Deleted" }[action] ?? "Changed"} release ${link(name, url)} for tag ${plain(tag)}`,
      action === "create" ? description : "",
    ),
  }),
  feature_flag: ({ object_attributes: it }, context) =>
    it && {
      topic: context.project,
      content: `${plain(context.user)} turned the feature flag ${plain(it.name)} ${it.active ? "on" : "off"}.`,
    },
  member: ({ event_name, user_name, group_name, project_name }) => ({
    topic: group_name || project_name || "GitLab",
    content: `${plain(user_name)}: ${plain(words(event_name))} ${plain(group_name || project_name)}.`,
  }),
};

/** Events that are nothing without what they are about. */
const withAttributes = new Set([
  "issue",
  "work_item",
  "merge_request",
  "note",
  "pipeline",
  "wiki_page",
  "feature_flag",
]);

const leavesOut = {
  access_token: "expiring tokens, which concern only their owner",
  build: "jobs that have not ended",
  emoji: "reactions to comments",
  milestone: "milestones, which issues show",
  pipeline: "pipelines that have not ended",
  project_create: "system hooks of a whole instance",
  project_destroy: "system hooks of a whole instance",
  repository_update: "system hooks of a whole instance",
  resource_access_token: "expiring tokens, which concern only their owner",
  subgroup_create: "groups within a group",
  subgroup_destroy: "groups within a group",
  vulnerability: "findings of security scans, which not everybody may see",
};

/** Epics belong to a group, which only their address names. */
const groupOf = (url = ""): string => /\/groups\/([^/]+(?:\/[^/-][^/]*)*)\/-\//.exec(url)?.[1] ?? "";

/** Membership events of groups have a name of their own and no kind. */
const kindOf = ({ object_kind, event_name }: Payload): string =>
  object_kind || (/^user_.*_(group|team)$/.test(event_name) ? "member" : event_name);

export const service = integration({
  title: "GitLab",
  logo: "gitlab",
  summary: "Pushes, merge requests, issues, comments, pipelines, deployments, releases and wiki pages.",
  setUp: [
    "In the project or group, open **Settings → Webhooks → Add new webhook**.",
    "Enter the URL. A **Secret token** is optional.",
    "Choose the triggers, and press **Add webhook**.",
  ],
  events: Object.keys(handlers),
  leavesOut,
  parameters: { branches: "a comma-separated list of branches whose pushes and pipelines are posted; by default, all" },
  payload,
  deliveryId: (_, { headers }) => headers["idempotency-key"] ?? headers["x-gitlab-event-uuid"],
  isSigned: ({ headers }, secret) => isSame(headers["x-gitlab-token"], secret),
  toPost(payload, delivery) {
    const kind = kindOf(payload);
    const context: Context = {
      user: payload.user?.name || payload.user_name || payload.user?.username || "Someone",
      project:
        payload.project?.name ||
        payload.repository?.name ||
        payload.project_name ||
        payload.group?.name ||
        groupOf(payload.object_attributes?.url) ||
        "GitLab",
      projectUrl: payload.project?.web_url || payload.repository?.homepage || "",
      branches: delivery.parameter("branches"),
    };
    const handler = handlerOf(kind, "object_kind", handlers, leavesOut);
    if (withAttributes.has(kind)) required(payload.object_attributes, "object_attributes");
    const post = handler?.(payload, context);
    return post && { ...post, event: kind };
  },
});
