import { flag, listOf, maybe, object, type output, text } from "../../fields.ts";
import { deletedBranchText, fromTo, isBranchWanted, markdown, numberedTopic, pushText } from "../../git.ts";
import { handlerOf, integration, type Post, required } from "../../integration.ts";
import { isHmac } from "../../signature.ts";
import { code, enumerated, link, plain, withQuote, words } from "../../text.ts";

/** https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/ */

const href = maybe(object({ href: text() }));
const links = maybe(object({ html: href, commit: href, diff: href }));
const person = maybe(object({ display_name: text(), nickname: text(), username: text() }));
const content = maybe(object({ raw: markdown() }));
const place = maybe(object({ branch: maybe(object({ name: text() })) }));
const reference = maybe(
  object({ type: text(), name: text(), links, target: maybe(object({ hash: text(), message: text(), links })) }),
);

const payload = object({
  actor: person,
  repository: maybe(object({ name: text(), full_name: text(), links })),
  push: maybe(
    object({
      changes: listOf(
        object({
          ...{ new: reference, old: reference, links, forced: flag(), truncated: flag() },
          commits: listOf(
            object({ hash: text(), message: text(), links, author: maybe(object({ raw: text(), user: person })) }),
          ),
        }),
      ),
    }),
  ),
  fork: maybe(object({ full_name: text(), links })),
  comment: maybe(
    object({
      ...{ content, links, inline: maybe(object({ path: text() })) },
      commit: maybe(object({ hash: text(), links })),
    }),
  ),
  commit: maybe(object({ hash: text(), links })),
  commit_status: maybe(
    object({ name: text(), key: text(), description: text(), state: text(), url: text(), refname: text(), links }),
  ),
  issue: maybe(
    object({
      id: text(),
      title: text(),
      state: text(),
      kind: text(),
      priority: text(),
      content,
      links,
      assignee: person,
    }),
  ),
  pullrequest: maybe(
    object({
      ...{ id: text(), title: text(), description: markdown(), state: text(), reason: text(), links },
      ...{ source: place, destination: place, reviewers: listOf(object({ display_name: text() })) },
    }),
  ),
  approval: maybe(object({ user: person })),
  changes_request: maybe(object({ user: person })),
  changes: maybe(
    object({
      ...{ status: maybe(object({ old: text(), new: text() })), name: maybe(object({ old: text(), new: text() })) },
      ...{ description: maybe(object({ old: text(), new: text() })), full_name: maybe(object({ new: text() })) },
      assignee: maybe(object({ new: person })),
    }),
  ),
});
type Payload = output<typeof payload>;

interface Context {
  by: string;
  repository: string;
  branches: string | undefined;
}
type Handler = (payload: Payload, context: Context) => Omit<Post, "event"> | undefined;

const nameOf = (one: output<typeof person>): string => one?.display_name || one?.nickname || one?.username || "";
const urlOf = (one: { links?: output<typeof links> } | undefined): string => one?.links?.html?.href ?? "";

type Change = NonNullable<Payload["push"]>["changes"][number];

function changeText(change: Change, by: string): string {
  const ref = change.new ?? change.old;
  const name = ref?.name ?? "";
  if (ref?.type === "tag")
    return `${plain(by)} ${change.new ? "pushed" : "removed"} the tag ${link(name, urlOf(ref))}.`;
  if (!change.new) return deletedBranchText(by, urlOf(change.old), name);
  const commits = change.commits.map((commit) => ({
    ...{ sha: commit.hash, message: commit.message, url: urlOf(commit) },
    author: nameOf(commit.author?.user) || (commit.author?.raw ?? "").replace(/\s*<[^>]*>\s*$/, ""),
  }));
  const url = urlOf(change) || urlOf(change.new);
  const pushed = pushText({ user: by, url, branch: name, commits, isForced: change.forced });
  // Bitbucket sends the first five commits, and does not say how many there are.
  return change.truncated ? `${pushed}\n[and more commits]` : pushed;
}

const push: Handler = ({ push: sent }, { by, repository, branches }) => {
  const named = (change: Change) => change.new ?? change.old;
  const changes = required(sent, "push").changes.filter((change) => {
    const ref = named(change);
    return ref !== undefined && (ref.type === "tag" || isBranchWanted(ref.name, branches));
  });
  if (changes.length === 0) return undefined;
  const [only] = changes.map(named);
  return {
    topic: changes.length === 1 && only?.type !== "tag" ? `${repository} / ${only?.name}` : repository,
    content: changes.map((change) => changeText(change, by)).join("\n\n"),
  };
};

const forked: Handler = ({ fork, repository: it }, { by, repository }) => ({
  topic: repository,
  content: `${plain(by)} forked ${link(it?.full_name ?? "", urlOf(it))} to ${link(required(fork, "fork").full_name, urlOf(fork))}.`,
});

const changed: Handler = ({ changes, repository: it }, { by, repository }) => {
  const name = changes?.name?.new ? `the name from ${code(changes.name.old)} to ${code(changes.name.new)}` : "";
  const what = enumerated([name, changes?.description ? "the description" : ""].filter(Boolean)) || "the settings";
  const of = ` of the repository ${link(it?.full_name ?? "", urlOf(it))}`;
  return {
    topic: repository,
    content: withQuote(`${plain(by)} changed ${what}${of}`, changes?.description?.new),
  };
};

const transferred: Handler = ({ repository: it }, { by, repository }) => ({
  topic: repository,
  content: `${plain(by)} accepted the transfer of the repository ${link(it?.full_name ?? "", urlOf(it))}.`,
});

const commitCommented: Handler = ({ comment, commit }, { by, repository }) => {
  const it = required(comment, "comment");
  const about = it.commit ?? commit;
  const verb = link("commented", urlOf(it));
  return {
    topic: repository,
    content: withQuote(
      `${plain(by)} ${verb} on the commit ${link((about?.hash ?? "").slice(0, 12), urlOf(about))}`,
      it.content?.raw,
    ),
  };
};

const states: Readonly<Record<string, string>> = {
  ...{ SUCCESSFUL: "succeeded", FAILED: "failed", INPROGRESS: "is running", STOPPED: "was stopped" },
};

const statusChanged: Handler = ({ commit_status, repository: it }, { repository }) => {
  const status = required(commit_status, "commit_status");
  // Only the API's address of the commit is sent.
  const hash = /[0-9a-f]{40}$/.exec(status.links?.commit?.href ?? "")?.[0];
  const commit = hash ? ` for ${link(hash.slice(0, 12), `${urlOf(it)}/commits/${hash}`)}` : "";
  const branch = status.refname ? ` on ${code(status.refname)}` : "";
  const state = states[status.state] ?? `is ${plain(words(status.state.toLowerCase())) || "changed"}`;
  return {
    topic: status.refname ? `${repository} / ${status.refname}` : repository,
    content: withQuote(
      `${link(status.name || status.key || "The build", status.url)}${commit}${branch} ${state}`,
      status.description,
    ),
  };
};

const issue =
  (verbOf: (payload: Payload) => string, textOf: (payload: Payload) => string | undefined): Handler =>
  (sent, { by, repository }) => {
    const it = required(sent.issue, "issue");
    return {
      topic: numberedTopic(repository, "issue #", it.id, it.title),
      content: withQuote(`${plain(by)} ${verbOf(sent)} ${link(`issue #${it.id}`, urlOf(it))}`, textOf(sent)),
    };
  };

function issueChange({ changes }: Payload): string {
  if (changes?.status?.new) return `changed the status to ${code(changes.status.new)} of`;
  const assignee = nameOf(changes?.assignee?.new);
  if (assignee) return `assigned ${plain(assignee)} to`;
  return "updated";
}

const onPull =
  (
    verbOf: (payload: Payload) => string,
    textOf?: (payload: Payload) => string | undefined,
    withBranches = false,
  ): Handler =>
  (sent, { by, repository }) => {
    const it = required(sent.pullrequest, "pullrequest");
    const refs = withBranches ? fromTo(it.source?.branch?.name ?? "", it.destination?.branch?.name ?? "") : "";
    return {
      topic: numberedTopic(repository, "PR #", it.id, it.title),
      content: withQuote(`${plain(by)} ${verbOf(sent)} ${link(`PR #${it.id}`, urlOf(it))}${refs}`, textOf?.(sent)),
    };
  };

const commentText = ({ comment }: Payload) => comment?.content?.raw;
const inFile = ({ comment }: Payload) => (comment?.inline?.path ? ` in ${code(comment.inline.path)}` : "");
const onComment = (verb: string) =>
  onPull(
    (sent) => `${verb} a ${link("comment", urlOf(required(sent.comment, "comment")))}${inFile(sent)} on`,
    commentText,
  );

function reviewers({ pullrequest }: Payload): string {
  const names = (pullrequest?.reviewers ?? []).slice(0, 10).map(({ display_name }) => plain(display_name));
  return names.length > 0 ? `created, with ${enumerated(names)} to review,` : "created";
}

const handlers: Readonly<Record<string, Handler>> = {
  ...{ "repo:push": push, "repo:fork": forked, "repo:updated": changed, "repo:transfer": transferred },
  "repo:commit_comment_created": commitCommented,
  ...{ "repo:commit_status_created": statusChanged, "repo:commit_status_updated": statusChanged },
  "issue:created": issue(
    ({ issue: it }) => (nameOf(it?.assignee) ? `created, for ${plain(nameOf(it?.assignee))},` : "created"),
    ({ issue: it }) => it?.content?.raw,
  ),
  "issue:updated": issue(issueChange, commentText),
  "issue:comment_created": issue(({ comment }) => `${link("commented", urlOf(comment))} on`, commentText),
  "pullrequest:created": onPull(reviewers, ({ pullrequest }) => pullrequest?.description, true),
  "pullrequest:updated": onPull(
    () => "updated",
    ({ pullrequest }) => pullrequest?.description,
  ),
  "pullrequest:approved": onPull(() => "approved"),
  "pullrequest:unapproved": onPull(() => "took back the approval of"),
  "pullrequest:changes_request_created": onPull(() => "requested changes in"),
  "pullrequest:changes_request_removed": onPull(() => "no longer requests changes in"),
  "pullrequest:fulfilled": onPull(() => "merged", undefined, true),
  "pullrequest:rejected": onPull(
    () => "declined",
    ({ pullrequest }) => pullrequest?.reason,
  ),
  "pullrequest:comment_created": onPull(
    (sent) => `${link("commented", urlOf(required(sent.comment, "comment")))}${inFile(sent)} on`,
    commentText,
  ),
  "pullrequest:comment_updated": onComment("edited"),
  "pullrequest:comment_deleted": onComment("deleted"),
  "pullrequest:comment_resolved": onComment("resolved"),
  "pullrequest:comment_reopened": onComment("reopened"),
};

const leavesOut = {
  "pullrequest:push": "commits of a pull request, which the push to its branch shows",
  "repo:deleted": "the deletion of the repository, after which nothing is sent",
  "repo:imported": "the import of a repository",
};

export const service = integration({
  title: "Bitbucket Cloud",
  logo: "bitbucket",
  summary: "Pushes, pull requests, issues, comments, forks and the results of builds of a repository.",
  setUp: [
    "In the repository, open **Repository settings → Webhooks → Add webhook**.",
    "Enter a title and the URL. A **Secret** is optional.",
    "Choose the triggers, and press **Save**.",
  ],
  events: Object.keys(handlers),
  leavesOut,
  parameters: { branches: "a comma-separated list of branches: pushes to others are not posted" },
  payload,
  deliveryId: (_, { headers }) => headers["x-request-uuid"],
  isSigned: ({ headers, body }, secret) => isHmac(headers["x-hub-signature"], secret, body, { prefix: "sha256=" }),
  toPost(payload, { headers, parameter }) {
    const event = headers["x-event-key"] ?? "";
    const handler = handlerOf(event, "X-Event-Key", handlers, leavesOut);
    const it = required(payload.repository, "repository");
    const post = handler?.(payload, {
      ...{ by: nameOf(payload.actor) || "Someone", repository: it.name || it.full_name },
      branches: parameter("branches"),
    });
    return post && { ...post, topic: post.topic || "Bitbucket", event };
  },
});
