import { flag, listOf, maybe, object, type output, text } from "../../fields.ts";
import { fromTo, isBranchWanted, markdown, numberedTopic, pushText, refName } from "../../git.ts";
import { handlerOf, integration, type Post, required } from "../../integration.ts";
import { isHmac } from "../../signature.ts";
import { code, link, plain, withQuote, words } from "../../text.ts";

/** https://docs.gitea.com/usage/webhooks and https://forgejo.org/docs/latest/user/webhooks/, which send the same. */

const person = maybe(object({ login: text(), username: text(), full_name: text() }));
const discussed = {
  ...{ number: text(), title: text(), body: markdown(), html_url: text(), assignee: person },
  labels: listOf(object({ name: text() })),
  milestone: maybe(object({ title: text() })),
};
const branch = maybe(object({ ref: text(), label: text() }));

const payload = object({
  action: text(),
  ...{ ref: text(), ref_type: text(), after: text(), compare_url: text(), total_commits: text(), is_pull: flag() },
  ...{ sender: person, pusher: person, requested_reviewer: person },
  repository: maybe(object({ name: text(), full_name: text(), html_url: text() })),
  forkee: maybe(object({ full_name: text(), html_url: text() })),
  commits: listOf(
    object({ id: text(), message: text(), url: text(), author: maybe(object({ name: text(), username: text() })) }),
  ),
  issue: maybe(object(discussed)),
  pull_request: maybe(object({ ...discussed, merged: flag(), head: branch, base: branch })),
  comment: maybe(object({ body: markdown(), html_url: text() })),
  review: maybe(object({ content: markdown() })),
  release: maybe(object({ tag_name: text(), name: text(), html_url: text(), body: markdown(), prerelease: flag() })),
  page: text(),
});
type Payload = output<typeof payload>;

interface Context {
  by: string;
  repository: string;
  url: string;
  branches: string | undefined;
}
type Handler = (payload: Payload, context: Context) => Omit<Post, "event"> | undefined;

const nameOf = (one: output<typeof person>): string => one?.login || one?.username || one?.full_name || "";

const push: Handler = ({ ref, commits, compare_url, total_commits, pusher }, context) => {
  if (ref.startsWith("refs/tags/")) return undefined;
  const name = refName(ref);
  if (!isBranchWanted(name, context.branches)) return undefined;
  const list = commits.map(({ id, message, url, author }) => ({
    ...{ sha: id, message, url },
    author: author?.username || author?.name || "",
  }));
  const user = nameOf(pusher) || context.by;
  const count = Math.max(Number(total_commits) || 0, list.length);
  if (count === 0) return undefined;
  const content = pushText({ user, url: compare_url, branch: name, commits: list, count });
  return { topic: `${context.repository} / ${name}`, content };
};

const created: Handler = ({ ref, ref_type }, { by, repository, url }) => {
  const name = refName(ref);
  const to = ref_type === "tag" ? `${url}/src/tag/${name}` : `${url}/src/branch/${name}`;
  return { topic: repository, content: `${plain(by)} created the ${plain(ref_type || "branch")} ${link(name, to)}.` };
};

const deleted: Handler = ({ ref, ref_type }, { by, repository }) => ({
  topic: repository,
  content: `${plain(by)} deleted the ${plain(ref_type || "branch")} ${code(refName(ref))}.`,
});

const forked: Handler = ({ repository, forkee }, { by }) => {
  // Gitea calls the original `forkee`.
  const original = forkee?.full_name ?? "";
  return {
    topic: original || repository?.full_name || "fork",
    content: `${plain(by)} forked ${link(original, forkee?.html_url) || "the repository"} to ${link(repository?.full_name ?? "", repository?.html_url)}.`,
  };
};

const actions: Readonly<Record<string, string>> = {
  ...{
    label_updated: "changed the labels of",
    label_cleared: "removed the labels of",
    synchronized: "added commit(s) to",
  },
  ...{ milestoned: "set the milestone of", demilestoned: "removed the milestone of", unassigned: "unassigned" },
};

function discussedPost(payload: Payload, { by, repository }: Context): Omit<Post, "event"> {
  const { action, pull_request: pull } = payload;
  const it = required(pull ?? payload.issue, "issue");
  const kind = pull ? "PR" : "issue";
  const title = link(`${kind} #${it.number}`, it.html_url);
  const isOpening = action === "opened";
  const reviewer = plain(nameOf(payload.requested_reviewer)) || "somebody";
  const assignee = plain(nameOf(it.assignee));
  const verb =
    pull?.merged && action === "closed"
      ? "merged"
      : action === "closed" && pull
        ? "closed without merge"
        : action === "assigned"
          ? `assigned ${assignee || "somebody"} to`
          : action === "review_requested"
            ? `asked ${reviewer} to review`
            : action === "review_request_removed"
              ? `no longer asks ${reviewer} to review`
              : (actions[action] ?? plain(words(action || "changed")));
  const refs =
    isOpening && pull ? fromTo(pull.head?.ref || pull.head?.label || "", pull.base?.ref || pull.base?.label || "") : "";
  const assigned = isOpening && assignee ? ` (assigned to ${assignee})` : "";
  const labels =
    action === "label_updated"
      ? ` to ${
          it.labels
            .slice(0, 20)
            .map(({ name }) => code(name))
            .join(", ") || "none"
        }`
      : "";
  const milestone = action === "milestoned" && it.milestone ? ` to **${plain(it.milestone.title)}**` : "";
  return {
    topic: numberedTopic(repository, `${kind} #`, it.number, it.title),
    content: withQuote(
      `${plain(by)} ${verb} ${title}${refs}${assigned}${labels}${milestone}`,
      isOpening ? it.body : "",
    ),
  };
}

const commented: Handler = (payload, { by, repository }) => {
  const it = required(payload.issue ?? payload.pull_request, "issue");
  const kind = payload.is_pull || payload.pull_request ? "PR" : "issue";
  const comment = required(payload.comment, "comment");
  const verb =
    payload.action === "deleted"
      ? "deleted a comment on"
      : payload.action === "edited"
        ? `${link("edited", comment.html_url)} a comment on`
        : `${link("commented", comment.html_url)} on`;
  return {
    topic: numberedTopic(repository, `${kind} #`, it.number, it.title),
    content: withQuote(`${plain(by)} ${verb} ${link(`${kind} #${it.number}`, it.html_url)}`, comment.body),
  };
};

const reviewed =
  (verb: string): Handler =>
  ({ pull_request, review }, { by, repository }) => {
    const it = required(pull_request, "pull_request");
    return {
      topic: numberedTopic(repository, "PR #", it.number, it.title),
      content: withQuote(`${plain(by)} ${verb} ${link(`PR #${it.number}`, it.html_url)}`, review?.content),
    };
  };

const released: Handler = ({ action, release }, { by, repository }) => {
  const it = required(release, "release");
  const name = it.name || it.tag_name;
  const kind = it.prerelease ? "pre-release" : "release";
  return {
    topic: `${repository} / ${it.tag_name} ${it.name}`.trim(),
    content: withQuote(
      `${plain(by)} ${plain(action || "published")} the ${kind} ${link(name, it.html_url)}`,
      action === "deleted" ? "" : it.body,
    ),
  };
};

const wiki: Handler = ({ action, page }, { by, repository, url }) => ({
  topic: `${repository} / wiki`,
  content: `${plain(by)} ${plain(action || "changed")} the page ${action === "deleted" ? code(page) : link(page, `${url}/wiki/${encodeURIComponent(page.toWellFormed())}`)}.`,
});

const repository: Handler = ({ action, repository: it }, { by }) => ({
  topic: it?.name ?? "",
  content: `${plain(by)} ${plain(action || "changed")} the repository ${link(it?.full_name ?? "", it?.html_url)}.`,
});

const handlers: Readonly<Record<string, Handler>> = {
  ...{ push, create: created, delete: deleted, fork: forked, issues: discussedPost, pull_request: discussedPost },
  ...{ issue_comment: commented, pull_request_approved: reviewed("approved") },
  ...{ pull_request_rejected: reviewed("requested changes in"), pull_request_comment: reviewed("reviewed") },
  ...{ release: released, wiki, repository },
};

const leavesOut = {
  package: "packages",
  push: "tags and branches without new commits, which `create` reports",
  schedule: "scheduled runs of Actions",
  status: "commit statuses, of which each push has many",
  workflow_job: "jobs of Actions",
  workflow_run: "runs of Actions",
};

export const service = integration({
  title: "Gitea and Forgejo",
  logo: "gitea",
  summary:
    "Pushes, pull requests, issues, reviews, comments, releases and wiki pages of a repository or an organization.",
  setUp: [
    "In the settings of the repository or organization, open **Webhooks → Add webhook → Gitea** or **Forgejo**.",
    "Enter the URL as the **Target URL**, with **POST** and `application/json`. A **Secret** is optional.",
    "Choose the events, and press **Add webhook**.",
  ],
  events: Object.keys(handlers),
  leavesOut,
  parameters: { branches: "a comma-separated list of branches: pushes to others are not posted" },
  payload,
  deliveryId: (_, { headers }) => headers["x-gitea-delivery"] ?? headers["x-forgejo-delivery"],
  isSigned: ({ headers, body }, secret) =>
    isHmac(headers["x-gitea-signature"] ?? headers["x-forgejo-signature"], secret, body),
  toPost(payload, { headers, parameter }) {
    const event = headers["x-gitea-event"] ?? headers["x-forgejo-event"] ?? "";
    const handler = handlerOf(event, "X-Gitea-Event", handlers, leavesOut);
    const it = required(payload.repository, "repository");
    const post = handler?.(payload, {
      ...{ by: nameOf(payload.sender) || "Someone", repository: it.name || it.full_name, url: it.html_url },
      branches: parameter("branches"),
    });
    return post && { ...post, topic: post.topic || "Gitea", event };
  },
});
