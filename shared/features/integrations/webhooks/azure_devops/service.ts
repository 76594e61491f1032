import * as z from "zod/mini";
import { listOf, maybe, object, type output, record, text, unknown } from "../../fields.ts";
import {
  deletedBranchText,
  firstLine,
  fromTo,
  isBranchWanted,
  markdown,
  numberedTopic,
  pushText,
  refName,
} from "../../git.ts";
import { handlerOf, integration, type Post, required } from "../../integration.ts";
import { code, link, paragraphs, plain, withQuote, words } from "../../text.ts";

/** https://learn.microsoft.com/azure/devops/service-hooks/events */

const person = maybe(object({ displayName: text() }));
const href = maybe(object({ href: text() }));
const links = maybe(object({ web: href, html: href }));
const named = maybe(object({ name: text(), displayName: text() }));
const fields = maybe(record(z.string(), unknown()));
const repository = maybe(object({ name: text(), remoteUrl: text(), webUrl: text(), project: named }));

const pullRequest = {
  ...{ pullRequestId: text(), title: text(), description: markdown(), status: text(), mergeStatus: text() },
  ...{ sourceRefName: text(), targetRefName: text(), createdBy: person, closedBy: person, repository },
  _links: links,
};

const payload = object({
  eventType: z.string().check(z.minLength(1)),
  id: text(),
  message: maybe(object({ text: text() })),
  resource: object({
    ...{ ...pullRequest, pullRequest: maybe(object(pullRequest)) },
    ...{ id: text(), workItemId: text(), fields, revisedBy: person, pushedBy: person },
    revision: maybe(object({ id: text(), fields })),
    commits: listOf(object({ commitId: text(), comment: text(), author: maybe(object({ name: text() })) })),
    refUpdates: listOf(object({ name: text(), oldObjectId: text(), newObjectId: text() })),
    comment: maybe(object({ content: markdown(), author: person })),
    ...{ buildNumber: text(), result: text(), sourceBranch: text(), definition: named, requestedFor: person },
    ...{ pipeline: named, run: maybe(object({ _links: links })), release: named },
    environment: maybe(object({ release: named, releaseDefinition: named })),
  }),
  resourceContainers: maybe(object({ project: maybe(object({ baseUrl: text() })) })),
});
type Payload = output<typeof payload>;
type Resource = Payload["resource"];
type Handler = (payload: Payload, branches: string | undefined) => Omit<Post, "event"> | undefined;

/** What Azure DevOps itself says, without the addresses in brackets. */
const sentenceOf = ({ message }: Payload): string =>
  firstLine(message?.text ?? "")
    .replace(/\s*\(?https?:\/\/\S{1,2000}$/, "")
    .replace(/\.?\s*$/, "");

const urlOf = (it: { _links?: output<typeof links> } | undefined): string =>
  it?._links?.web?.href || it?._links?.html?.href || "";

const nothing = /^0+$/;

const push: Handler = ({ resource }, branches) => {
  const { name = "", remoteUrl = "", webUrl = "" } = required(resource.repository, "resource.repository");
  const url = webUrl || remoteUrl;
  const by = resource.pushedBy?.displayName || "Someone";
  const commits = resource.commits.map(({ commitId, comment, author }) => ({
    ...{ sha: commitId, message: comment, url: `${url}/commit/${commitId}`, author: author?.name ?? "" },
  }));
  const refs = resource.refUpdates.filter(
    (ref) => ref.name.startsWith("refs/tags/") || isBranchWanted(refName(ref.name), branches),
  );
  if (refs.length === 0 && resource.refUpdates.length > 0) return undefined;
  const texts = refs.map(({ name: ref, oldObjectId, newObjectId }, index) => {
    const short = refName(ref);
    if (ref.startsWith("refs/tags/"))
      return `${plain(by)} ${nothing.test(newObjectId) ? "removed" : "pushed"} the tag ${code(short)}.`;
    if (nothing.test(newObjectId)) return deletedBranchText(by, url, short);
    const compare = nothing.test(oldObjectId)
      ? `${url}?version=GB${encodeURIComponent(short.toWellFormed())}`
      : `${url}/branchCompare?baseVersion=GC${oldObjectId}&targetVersion=GC${newObjectId}&_a=files`;
    // The commits are those of all branches together.
    return pushText({ user: by, url: compare, branch: short, commits: index === 0 ? commits : [] });
  });
  const [only] = refs;
  return {
    topic: refs.length === 1 && only && !only.name.startsWith("refs/tags/") ? `${name} / ${refName(only.name)}` : name,
    content: texts.join("\n\n") || `${plain(by)} pushed to ${link(name, url)}.`,
  };
};

type PullRequest = Pick<Resource, keyof typeof pullRequest>;

const pullTopic = ({ repository: it, pullRequestId, title }: PullRequest) =>
  numberedTopic(it?.name ?? "", "PR #", pullRequestId, title);
function pullLink(it: PullRequest): string {
  const url = it.repository?.webUrl || it.repository?.remoteUrl;
  return link(`PR #${it.pullRequestId}`, urlOf(it) || (url && `${url}/pullrequest/${it.pullRequestId}`));
}
const refsOf = ({ sourceRefName, targetRefName }: PullRequest) =>
  fromTo(refName(sourceRefName), refName(targetRefName));

const pullCreated: Handler = ({ resource: it }) => ({
  topic: pullTopic(it),
  content: withQuote(
    `${plain(it.createdBy?.displayName ?? "") || "Someone"} created ${pullLink(it)}${refsOf(it)}`,
    it.description,
  ),
});

/** What has changed is only in the sentence. */
const pullUpdated: Handler = (sent) => ({
  topic: pullTopic(sent.resource),
  content: `${plain(sentenceOf(sent)) || "The pull request was updated"}: ${pullLink(sent.resource)}.`,
});

const pullMerged: Handler = ({ resource: it }) => {
  const isDone = it.mergeStatus === "succeeded" && it.status !== "active";
  const by = plain(it.closedBy?.displayName ?? "") || plain(it.createdBy?.displayName ?? "") || "Someone";
  return {
    topic: pullTopic(it),
    content: isDone
      ? `${by} merged ${pullLink(it)}${refsOf(it)}.`
      : `The merge of ${pullLink(it)}${refsOf(it)} was tried: ${plain(wordsOf(it.mergeStatus)) || "no result"}.`,
  };
};

const pullCommented: Handler = ({ resource }) => {
  const it = required(resource.pullRequest, "resource.pullRequest");
  const comment = required(resource.comment, "resource.comment");
  return {
    topic: pullTopic(it),
    content: withQuote(
      `${plain(comment.author?.displayName ?? "") || "Someone"} commented on ${pullLink(it)}`,
      comment.content,
    ),
  };
};

/** A field of a work item: a text, a number, or a person. */
function fieldOf(of: output<typeof fields>, name: string): string {
  const value = of?.[name];
  if (typeof value === "object" && value !== null)
    return text().parse((value as { displayName?: unknown }).displayName);
  // Former versions name people with their addresses.
  return text()
    .parse(value)
    .replace(/\s*<[^<>]*>$/, "");
}

const entities: Readonly<Record<string, string>> = {
  ...{ "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&nbsp;": " ", "&amp;": "&" },
};

/** The text of HTML, which fields with formatting have. */
const textOfHtml = (html: string): string =>
  html
    .replace(/<(?:br|\/p|\/div|\/li|\/tr|\/h\d)\b[^<>]*>/gi, "\n")
    .replace(/<[^<>]*>/g, "")
    .replace(/&(?:lt|gt|quot|#39|nbsp|amp);/g, (entity) => entities[entity] as string)
    .replace(/\n\s*\n+/g, "\n\n")
    .trim();

const shownChanges: Readonly<Record<string, string>> = {
  ...{ "System.State": "state", "System.Title": "title", "System.AssignedTo": "assignee" },
  ...{ "Microsoft.VSTS.Common.Priority": "priority", "Microsoft.VSTS.Common.Severity": "severity" },
  ...{ "System.IterationPath": "iteration", "System.AreaPath": "area", "System.Tags": "tags" },
  ...{ "Microsoft.VSTS.Scheduling.StoryPoints": "story points", "System.WorkItemType": "type" },
};

function changesOf(of: output<typeof fields>): string[] {
  return Object.entries(shownChanges).flatMap(([field, name]) => {
    const change = of?.[field];
    if (typeof change !== "object" || change === null) return [];
    const [before, after] = ["oldValue", "newValue"].map((side) => fieldOf(change as Record<string, unknown>, side));
    return [`* **${name}**: ${[before, after].map((value) => (value ? plain(value) : "none")).join(" → ")}`];
  });
}

const workItem =
  (verb: string, byField: string, quotedField?: string): Handler =>
  ({ resource, resourceContainers }) => {
    const values = resource.revision?.fields ?? resource.fields;
    const number = resource.workItemId || resource.revision?.id || resource.id;
    const type = fieldOf(values, "System.WorkItemType") || "Work item";
    const title = fieldOf(values, "System.Title");
    const project = fieldOf(values, "System.TeamProject");
    const base = resourceContainers?.project?.baseUrl ?? "";
    const url =
      urlOf(resource) ||
      (base && project ? `${base}${encodeURIComponent(project.toWellFormed())}/_workitems/edit/${number}` : "");
    const by = resource.revisedBy?.displayName.replace(/\s*<[^<>]*>$/, "") || fieldOf(values, byField) || "Someone";
    const quoted = quotedField ? fieldOf(resource.fields, quotedField) : "";
    const assignee = verb === "created" ? fieldOf(values, "System.AssignedTo") : "";
    const sentence = `${plain(by)} ${verb} ${link(`${type} #${number}`, url)}${assignee ? ` for ${plain(assignee)}` : ""}`;
    const changes = verb === "updated" ? changesOf(resource.fields) : [];
    return {
      topic: `${type} #${number} ${title}`.trim(),
      content: paragraphs(withQuote(sentence, textOfHtml(quoted)), changes.join("\n")),
    };
  };

const wordsOf = (camelCase: string) => words(camelCase.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase());

const built: Handler = (sent) => {
  const { resource: it } = sent;
  const name = it.definition?.name || "Build";
  const branch = it.sourceBranch ? ` of ${code(refName(it.sourceBranch))}` : "";
  const by = it.requestedFor?.displayName ? `, started by ${plain(it.requestedFor.displayName)}` : "";
  // The first version of the event has the result as the status.
  const result = wordsOf(it.result || it.status) || "ended";
  return {
    topic: name,
    content: `The build ${link(`${name} ${it.buildNumber}`.trim(), urlOf(it))}${branch} ${plain(result)}${by}.`,
  };
};

/** Events of pipelines and releases, of which the sentence says everything. */
const told: Handler = (sent) => {
  const { resource: it } = sent;
  const { releaseDefinition, release } = it.environment ?? {};
  const about = [it.pipeline, it.definition, releaseDefinition, release, it.release, it.repository].find(
    (one) => one?.name,
  );
  const url = urlOf(it) || urlOf(it.run);
  return {
    topic: about?.name || "Azure DevOps",
    content: `${plain(required(sentenceOf(sent) || undefined, "message.text"))}${url ? ` (${link("open", url)})` : ""}.`,
  };
};

const handlers: Readonly<Record<string, Handler>> = {
  "git.push": push,
  ...{ "git.pullrequest.created": pullCreated, "git.pullrequest.updated": pullUpdated },
  ...{ "git.pullrequest.merged": pullMerged, "ms.vss-code.git-pullrequest-comment-event": pullCommented },
  "workitem.created": workItem("created", "System.CreatedBy", "System.Description"),
  "workitem.updated": workItem("updated", "System.ChangedBy"),
  "workitem.commented": workItem("commented on", "System.ChangedBy", "System.History"),
  "workitem.deleted": workItem("deleted", "System.ChangedBy"),
  "workitem.restored": workItem("restored", "System.ChangedBy"),
  "build.complete": built,
  ...{ "git.repo.created": told, "git.repo.renamed": told, "git.repo.deleted": told, "tfvc.checkin": told },
  ...{ "ms.vss-pipelines.run-state-changed-event": told, "ms.vss-pipelines.stage-state-changed-event": told },
  ...{ "ms.vss-pipelines.job-state-changed-event": told, "ms.vss-pipelinechecks-events.approval-pending": told },
  "ms.vss-pipelinechecks-events.approval-completed": told,
  ...{ "ms.vss-release.release-created-event": told, "ms.vss-release.release-abandoned-event": told },
  ...{ "ms.vss-release.deployment-started-event": told, "ms.vss-release.deployment-completed-event": told },
  ...{ "ms.vss-release.deployment-approval-pending-event": told },
  "ms.vss-release.deployment-approval-completed-event": told,
};

const leavesOut = {
  "git.repo.forked": "forks",
  "git.repo.statuschanged": "settings of a repository",
  "message.posted": "messages in Azure's team rooms",
};

export const service = integration({
  title: "Azure DevOps",
  summary: "Pushes, pull requests, work items, builds, pipelines and releases of a project.",
  setUp: [
    "In the project, open **Project settings → Service hooks → Create subscription**, and choose **Web Hooks**.",
    "Choose the event, and enter the URL. Keep **All** for the resource details and the messages to send.",
    "Press **Finish**. Each event needs a subscription of its own.",
  ],
  events: Object.keys(handlers),
  leavesOut,
  parameters: { branches: "a comma-separated list of branches: pushes to others are not posted" },
  payload,
  deliveryId: ({ id }) => id || undefined,
  toPost(sent, { parameter }) {
    const { eventType: event } = sent;
    const post = handlerOf(event, "eventType", handlers, leavesOut)?.(sent, parameter("branches"));
    return post && { ...post, topic: post.topic || "Azure DevOps", event };
  },
});
