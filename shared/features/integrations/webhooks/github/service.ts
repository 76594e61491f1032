import { flag, listOf, maybe, number, object, type output, text } from "../../fields.ts";
import {
  deletedBranchText,
  firstLine,
  fromTo,
  isBranchWanted,
  markdown,
  numberedTopic,
  pushText,
  refName,
  shortSha,
} from "../../git.ts";
import { type Delivery, handlerOf, integration, type Post, UnreadablePayload } from "../../integration.ts";
import { isHmac } from "../../signature.ts";
import { code, enumerated, link, plain, withQuote, words } from "../../text.ts";

/** https://docs.github.com/en/webhooks/webhook-events-and-payloads */

const user = object({ login: text(), name: text(), html_url: text() });
const named = object({ name: text(), html_url: text() });
const discussed = { number: number(), title: text(), html_url: text(), body: markdown(), user: maybe(user) };
const change = maybe(object({ from: text() }));
const alert = {
  number: number(),
  html_url: text(),
  rule: maybe(object({ description: text(), severity: text() })),
  security_advisory: maybe(object({ summary: text(), severity: text() })),
  dependency: maybe(object({ package: maybe(object({ name: text() })) })),
  secret_type_display_name: text(),
  secret_type: text(),
  affected_package_name: text(),
};
const registryPackage = maybe(
  object({ name: text(), html_url: text(), package_version: maybe(object({ version: text(), html_url: text() })) }),
);
const run = {
  name: text(),
  html_url: text(),
  status: text(),
  conclusion: text(),
  head_branch: text(),
  head_sha: text(),
};

/** `label` is "owner:branch". */
const branch = object({ ref: text(), label: text() });

const payload = object({
  action: text(),
  ref: text(),
  ref_type: text(),
  before: text(),
  after: text(),
  compare: text(),
  created: flag(),
  deleted: flag(),
  forced: flag(),
  commits: listOf(
    object({ id: text(), message: text(), url: text(), author: maybe(object({ name: text(), username: text() })) }),
  ),
  head_commit: maybe(object({ id: text(), url: text() })),
  pusher: maybe(object({ name: text() })),
  sender: maybe(user),
  repository: maybe(object({ name: text(), full_name: text(), html_url: text(), private: flag() })),
  organization: maybe(object({ login: text() })),
  changes: maybe(
    object({
      title: change,
      body: change,
      name: change,
      description: change,
      privacy: change,
      owner: maybe(object({ from: maybe(object({ user: maybe(user), organization: maybe(user) })) })),
      repository: maybe(object({ name: change })),
    }),
  ),
  issue: maybe(object({ ...discussed, pull_request: maybe(object({})), milestone: maybe(object({ title: text() })) })),
  pull_request: maybe(
    object({
      ...discussed,
      merged: flag(),
      draft: flag(),
      head: maybe(branch),
      base: maybe(branch),
      assignee: maybe(user),
      assignees: listOf(user),
      active_lock_reason: text(),
    }),
  ),
  review: maybe(object({ html_url: text(), body: markdown(), state: text() })),
  thread: maybe(object({ comments: listOf(object({ html_url: text(), body: markdown() })) })),
  comment: maybe(object({ html_url: text(), body: markdown(), commit_id: text(), user: maybe(user) })),
  assignee: maybe(user),
  label: maybe(object({ name: text() })),
  milestone: maybe(object({ title: text(), html_url: text() })),
  requested_reviewer: maybe(user),
  requested_team: maybe(named),
  discussion: maybe(object({ ...discussed, category: maybe(object({ name: text() })), answer_html_url: text() })),
  answer: maybe(object({ html_url: text(), body: markdown(), user: maybe(user) })),
  deployment: maybe(object({ environment: text(), description: text() })),
  deployment_status: maybe(object({ state: text(), target_url: text(), description: text() })),
  environment: text(),
  workflow: maybe(named),
  workflow_run: maybe(object({ ...run, run_number: number() })),
  check_run: maybe(object({ ...run, check_suite: maybe(object({ head_branch: text() })) })),
  forkee: maybe(object({ full_name: text(), html_url: text() })),
  pages: listOf(object({ action: text(), title: text(), page_name: text(), html_url: text() })),
  member: maybe(user),
  membership: maybe(object({ user: maybe(user) })),
  invitation: maybe(object({ login: text(), email: text() })),
  team: maybe(object({ name: text(), html_url: text(), description: text(), privacy: text() })),
  build: maybe(object({ status: text(), pusher: maybe(user), error: maybe(object({ message: text() })) })),
  hook: maybe(object({ type: text() })),
  release: maybe(object({ tag_name: text(), name: text(), html_url: text(), body: markdown() })),
  package: registryPackage,
  registry_package: registryPackage,
  sha: text(),
  state: text(),
  target_url: text(),
  commit: maybe(object({ html_url: text() })),
  alert: maybe(object(alert)),
  key: maybe(object({ title: text() })),
  rule: maybe(object({ name: text() })),
  sponsorship: maybe(object({ sponsor: maybe(user), tier: maybe(object({ name: text() })) })),
});
type Payload = output<typeof payload>;

interface Context {
  sender: string;
  repository: string;
  /** "[owner/repository](url)". */
  repositoryLink: string;
  branches: string | undefined;
}

type Handler = (payload: Payload, context: Context) => Omit<Post, "event"> | undefined;

const about = ({ repository }: Context, content: string) => ({ topic: repository, content });

const personLink = (person: { login: string; html_url: string } | undefined) =>
  person ? link(person.login, person.html_url) : "someone";

type Discussed = NonNullable<Payload["issue"]>;

/** "[PR #1](url)". */
const reference = (kind: string, { number: id, html_url }: Pick<Discussed, "number" | "html_url">) =>
  link(`${kind} #${id}`, html_url);

function issues(payload: Payload, context: Context) {
  const { issue, action, assignee, label, milestone, sender } = { ...payload, sender: context.sender };
  if (!issue) return undefined;
  const topic = numberedTopic(context.repository, "issue #", issue.number, issue.title);
  const it = reference("issue", issue);
  switch (action) {
    case "opened":
      return { topic, content: withQuote(`${sender} opened ${it}`, issue.body) };
    case "edited":
      return payload.changes?.body || payload.changes?.title
        ? { topic, content: withQuote(`${sender} edited ${it}`, payload.changes.body ? issue.body : "") }
        : undefined;
    case "assigned":
      return { topic, content: `${sender} assigned ${it} to ${plain(assignee?.login ?? "")}.` };
    case "unassigned":
      return { topic, content: `${sender} unassigned ${plain(assignee?.login ?? "")} from ${it}.` };
    case "labeled":
      return { topic, content: `${sender} added the ${plain(label?.name ?? "")} label to ${it}.` };
    case "unlabeled":
      return { topic, content: `${sender} removed the ${plain(label?.name ?? "")} label from ${it}.` };
    case "milestoned":
      return { topic, content: `${sender} added milestone ${plain(milestone?.title ?? "")} to ${it}.` };
    case "demilestoned":
      return { topic, content: `${sender} removed milestone ${plain(milestone?.title ?? "")} from ${it}.` };
    default:
      return /^(closed|reopened|deleted|transferred|pinned|unpinned|locked|unlocked)$/.test(action)
        ? { topic, content: `${sender} ${action} ${it}.` }
        : undefined;
  }
}

type PullRequest = NonNullable<Payload["pull_request"]>;
const pullRequestTopic = ({ number: id, title }: PullRequest, { repository }: Context) =>
  numberedTopic(repository, "PR #", id, title);

/** Of "owner:branch". */
const ownerOf = (label: string): string => label.split(":", 1)[0] ?? "";

function pullRequest(payload: Payload, context: Context) {
  const { pull_request: pr, action } = payload;
  if (!pr) return undefined;
  const { sender } = context;
  const topic = pullRequestTopic(pr, context);
  const it = reference("PR", pr);
  const [head, base] = [pr.head, pr.base];
  // Of a fork, with its owner.
  const isOfFork = head && base && ownerOf(head.label) !== ownerOf(base.label);
  const branches = fromTo((isOfFork && head.label) || head?.ref || "", base?.ref ?? "");
  const say = (content: string) => ({ topic, content });
  switch (action) {
    case "opened": {
      const assigned =
        pr.assignees.length > 0 ? ` (assigned to ${enumerated(pr.assignees.map(({ login }) => plain(login)))})` : "";
      return say(withQuote(`${sender} opened ${it}${assigned}${branches}`, pr.body));
    }
    case "edited":
      return payload.changes?.body || payload.changes?.title
        ? say(withQuote(`${sender} edited ${it}${branches}`, payload.changes.body ? pr.body : ""))
        : undefined;
    case "synchronize":
      return say(`${sender} updated ${it}${branches}.`);
    case "closed":
      return say(`${sender} ${pr.merged ? "merged" : "closed without merge"} ${it}.`);
    case "reopened":
      return say(`${sender} reopened ${it}.`);
    case "assigned":
      return say(`${sender} assigned ${it} to ${plain(payload.assignee?.login || pr.assignee?.login || "someone")}.`);
    case "unassigned":
      return say(
        `${sender} unassigned ${payload.assignee?.login ? `${plain(payload.assignee.login)} from ` : ""}${it}.`,
      );
    case "review_requested":
    case "review_request_removed": {
      const { requested_reviewer: reviewer, requested_team: team } = payload;
      if (action === "review_request_removed") return undefined;
      const whom = team ? link(team.name, team.html_url) : personLink(reviewer);
      return say(`**${sender}** requested ${whom} for a review on ${it}.`);
    }
    case "ready_for_review":
      return say(`**${sender}** has marked ${it} as ready for review.`);
    case "converted_to_draft":
      return say(`**${sender}** has marked ${it} as a draft.`);
    case "locked": {
      const reason = pr.active_lock_reason ? ` as ${plain(pr.active_lock_reason)}` : "";
      return say(`${sender} has locked ${it}${reason} and limited conversation to collaborators.`);
    }
    case "unlocked":
      return say(`${sender} has unlocked ${it}.`);
    case "auto_merge_enabled":
    case "auto_merge_disabled":
      return say(`${sender} has ${action === "auto_merge_enabled" ? "enabled" : "disabled"} auto merge for ${it}.`);
    default:
      // Labels, milestones and the merge queue, which would bury what people say.
      return undefined;
  }
}

/** Branches that GitHub makes and deletes for each pull request in a merge queue. */
const isOfMergeQueue = (ref: string): boolean => /^(refs\/heads\/)?gh-readonly-queue\//.test(ref);

/** Whether a check passed on such a branch: the pull request is merged next. */
const isStepOfMergeQueue = (branch: string, conclusion: string): boolean =>
  isOfMergeQueue(branch) && conclusion === "success";

function push(payload: Payload, context: Context) {
  const { ref, commits, compare, deleted, created, forced, head_commit } = payload;
  const name = refName(ref);
  const user = payload.sender?.login || payload.pusher?.name || "";
  if (ref.startsWith("refs/tags/"))
    return about(
      context,
      `${plain(user)} ${deleted ? "removed" : "pushed"} tag ${deleted ? plain(name) : link(name, `${payload.repository?.html_url}/releases/tag/${name}`)}.`,
    );
  if (isOfMergeQueue(name) || !isBranchWanted(name, context.branches)) return undefined;
  const topic = `${context.repository} / ${name}`;
  if (deleted) return { topic, content: deletedBranchText(user, compare, name) };
  if (forced && !created)
    return {
      topic,
      content: `${plain(user)} ${link("force pushed", compare)} to branch ${plain(name)}. Head is now ${shortSha(head_commit?.id ?? payload.after)}.`,
    };
  return {
    topic,
    content: pushText({
      user,
      url: compare,
      branch: name,
      commits: commits.map(({ id, message, url, author }) => ({
        sha: id,
        message,
        url,
        author: author?.username || author?.name || "",
      })),
    }),
  };
}

function issueComment({ issue, comment, action }: Payload, context: Context) {
  if (!issue || !comment) return undefined;
  const kind = issue.pull_request ? "PR" : "issue";
  const it = reference(kind, issue);
  const sentence =
    action === "created"
      ? `${context.sender} ${link("commented", comment.html_url)} on ${it}`
      : `${context.sender} ${action} a ${link("comment", comment.html_url)} on ${it}`;
  return {
    topic: numberedTopic(context.repository, `${kind} #`, issue.number, issue.title),
    content: withQuote(sentence, comment.body),
  };
}

function review({ pull_request: pr, review: given, action }: Payload, context: Context) {
  if (!pr || !given) return undefined;
  // A comment within a review comes with a review of its own, without a text.
  if (action === "submitted" && given.state === "commented" && given.body === "") return undefined;
  const verdict =
    given.state === "approved" ? "approved" : given.state === "changes_requested" ? "requested changes in" : action;
  return {
    topic: pullRequestTopic(pr, context),
    content: withQuote(`${context.sender} ${verdict} ${link("PR review", given.html_url)}`, given.body),
  };
}

function reviewComment({ pull_request: pr, comment, action }: Payload, context: Context) {
  if (!pr || !comment) return undefined;
  return {
    topic: pullRequestTopic(pr, context),
    content: withQuote(`${context.sender} ${action} ${link("PR review comment", comment.html_url)}`, comment.body),
  };
}

const discussionTopic = ({ number: id, title }: Pick<Discussed, "number" | "title">, { repository }: Context) =>
  `${repository} discussion #${id}: ${title}`;

function discussion({ discussion: it, action, answer }: Payload, context: Context) {
  if (!it) return undefined;
  const { sender } = context;
  const topic = discussionTopic(it, context);
  const title = link(`discussion #${it.number}`, it.html_url);
  if (action === "created")
    return {
      topic,
      content: withQuote(`${sender} created ${title}${it.category ? ` in ${plain(it.category.name)}` : ""}`, it.body),
    };
  if (action === "answered")
    return {
      topic,
      content: withQuote(
        `${sender} marked an ${link("answer", answer?.html_url || it.answer_html_url)} of ${title}`,
        answer?.body,
      ),
    };
  return /^(edited|deleted|closed|reopened|locked|unlocked|pinned|unpinned|transferred|unanswered)$/.test(action)
    ? { topic, content: `${sender} ${action === "unanswered" ? "unmarked the answer of" : action} ${title}.` }
    : undefined;
}

function discussionComment({ discussion: it, comment, action }: Payload, context: Context) {
  if (!it || !comment) return undefined;
  const title = link(`discussion #${it.number}`, it.html_url);
  const sentence =
    action === "created"
      ? `${context.sender} ${link("commented", comment.html_url)} on ${title}`
      : `${context.sender} ${action} a ${link("comment", comment.html_url)} on ${title}`;
  return { topic: discussionTopic(it, context), content: withQuote(sentence, comment.body) };
}

function alertHandler(kind: string): Handler {
  return ({ alert: it, action }, context) => {
    if (!it) return undefined;
    const what =
      it.security_advisory?.summary ||
      it.rule?.description ||
      it.secret_type_display_name ||
      it.secret_type ||
      it.affected_package_name;
    const details = [it.dependency?.package?.name, it.security_advisory?.severity || it.rule?.severity]
      .filter(Boolean)
      .map((part) => plain(part ?? ""));
    return {
      topic: `${context.repository} / security alerts`,
      content:
        `${kind} alert ${it.number ? link(`#${it.number}`, it.html_url) : ""} ${words(action)}: ${plain(what.replace(/\.$/, ""))}${details.length > 0 ? ` (${details.join(", ")})` : ""}.`.replace(
          / {2,}/g,
          " ",
        ),
    };
  };
}

const handlers: Record<string, Handler> = {
  branch_protection_rule: ({ rule, action }, context) =>
    about(context, `${context.sender} ${action} the protection rule of branch ${plain(rule?.name ?? "")}.`),
  check_run: ({ check_run: run, action, repository }, context) =>
    run && action === "completed" && !isStepOfMergeQueue(run.check_suite?.head_branch ?? "", run.conclusion)
      ? {
          topic: `${context.repository} / checks`,
          content: `Check ${link(run.name, run.html_url)} completed (${plain(words(run.conclusion))}). (${link(run.head_sha.slice(0, 12), `${repository?.html_url}/commit/${run.head_sha}`)})`,
        }
      : undefined,
  code_scanning_alert: alertHandler("Code scanning"),
  commit_comment: ({ comment, repository }, context) =>
    comment &&
    about(
      context,
      withQuote(
        `${context.sender} ${link("commented", comment.html_url)} on ${link(comment.commit_id.slice(0, 12), `${repository?.html_url}/commit/${comment.commit_id}`)}`,
        comment.body,
      ),
    ),
  create: ({ ref, ref_type }, context) =>
    isOfMergeQueue(ref) ? undefined : about(context, `${context.sender} created ${plain(ref_type)} ${plain(ref)}.`),
  delete: ({ ref, ref_type }, context) =>
    isOfMergeQueue(ref) ? undefined : about(context, `${context.sender} deleted ${plain(ref_type)} ${plain(ref)}.`),
  dependabot_alert: alertHandler("Dependabot"),
  deploy_key: ({ key, action }, context) =>
    about(context, `${context.sender} ${action} the deploy key ${plain(key?.title ?? "")}.`),
  deployment: ({ deployment, action }, context) =>
    deployment && (action === "created" || action === "")
      ? {
          topic: `${context.repository} / Deployment on ${deployment.environment}`,
          content: withQuote(`${context.sender} created new deployment`, deployment.description),
        }
      : undefined,
  deployment_review: ({ action, environment, workflow_run }, context) => ({
    topic: `${context.repository} / Deployment on ${environment || workflow_run?.name || "an environment"}`,
    content: `Review of the deployment to ${plain(environment || "an environment")} ${plain(words(action))}${workflow_run ? ` for ${link(workflow_run.name, workflow_run.html_url)}` : ""}.`,
  }),
  deployment_status: ({ deployment, deployment_status: status }, context) =>
    deployment &&
    status && {
      topic: `${context.repository} / Deployment on ${deployment.environment}`,
      content: `Deployment changed status to ${link(words(status.state), status.target_url)}.`,
    },
  discussion,
  discussion_comment: discussionComment,
  fork: ({ forkee }, context) =>
    forkee && about(context, `${context.sender} forked ${link(forkee.full_name, forkee.html_url)}.`),
  gollum: ({ pages }, context) => ({
    topic: `${context.repository} / wiki pages`,
    content: [
      `${context.sender}:`,
      ...pages.map((page) => `* ${plain(page.action)} ${link(page.title || page.page_name, page.html_url)}`),
    ].join("\n"),
  }),
  issue_comment: issueComment,
  issues,
  member: ({ member, action }, context) =>
    about(
      context,
      `${context.sender} ${action} ${personLink(member)} ${action === "removed" ? "from" : action === "added" ? "to" : "in"} ${context.repositoryLink}.`,
    ),
  membership: ({ member, action, team, organization }, context) => ({
    topic: `${organization?.login || context.repository} organization`,
    content: `${context.sender} ${action} ${personLink(member)} ${action === "removed" ? "from" : "to"} the ${plain(team?.name ?? "")} team.`,
  }),
  milestone: ({ milestone, action }, context) =>
    milestone &&
    about(context, `${context.sender} ${action} the milestone ${link(milestone.title, milestone.html_url)}.`),
  organization: ({ action, membership, invitation, organization }, context) => ({
    topic: `${organization?.login || context.repository} organization`,
    content: `${context.sender}: ${plain(words(action))}${membership?.user ? ` ${personLink(membership.user)}` : invitation ? ` ${plain(invitation.login || invitation.email)}` : ""}.`,
  }),
  package: ({ package: it, action }, context) =>
    it &&
    about(
      context,
      `${context.sender} ${action} the package ${link([it.name, it.package_version?.version].filter(Boolean).join(" "), it.package_version?.html_url || it.html_url)}.`,
    ),
  page_build: ({ build }, context) => {
    const state =
      { built: "has finished building", building: "is building", errored: "has failed" }[build?.status ?? ""] ??
      "has an unknown status";
    return about(
      context,
      withQuote(
        `GitHub Pages build, triggered by ${plain(build?.pusher?.login || "someone")}, ${state}`,
        build?.error?.message,
      ),
    );
  },
  ping: ({ organization, hook }, context) => ({
    topic: hook?.type === "Organization" ? (organization?.login ?? "GitHub") : context.repository,
    content: `GitHub webhook has been successfully configured by ${context.sender}.`,
  }),
  public: (_, context) => about(context, `${context.sender} made the repository ${context.repositoryLink} public.`),
  pull_request: pullRequest,
  pull_request_review: review,
  pull_request_review_comment: reviewComment,
  pull_request_review_thread: ({ pull_request: pr, thread, action }, context) =>
    pr && {
      topic: pullRequestTopic(pr, context),
      content: `${context.sender} ${action} a ${link("review thread", thread?.comments[0]?.html_url || pr.html_url)} of ${reference("PR", pr)}.`,
    },
  push,
  registry_package: (payload, context) =>
    handlers.package?.({ ...payload, package: payload.registry_package }, context),
  release: ({ release, action }, context) =>
    // "released" and "prereleased" come together with "published".
    release && !/^(released|prereleased|created)$/.test(action)
      ? about(
          context,
          withQuote(
            `${context.sender} ${action} release ${link(release.name || release.tag_name, release.html_url)} for tag ${plain(release.tag_name)}`,
            action === "published" ? release.body : "",
          ),
        )
      : undefined,
  repository: ({ action, changes }, context) => {
    const former = changes?.repository?.name?.from;
    return about(
      context,
      `${context.sender} ${action} the repository ${context.repositoryLink}${former ? `, formerly ${plain(former)}` : ""}.`,
    );
  },
  repository_import: ({ repository }, context) =>
    repository && about(context, `The import of the repository ${context.repositoryLink} has ended.`),
  secret_scanning_alert: alertHandler("Secret scanning"),
  sponsorship: ({ sponsorship, action }) =>
    sponsorship && {
      topic: "sponsors",
      content: `${personLink(sponsorship.sponsor)}: sponsorship ${plain(words(action))}${sponsorship.tier ? ` (${plain(sponsorship.tier.name)})` : ""}.`,
    },
  star: ({ action }, context) =>
    about(
      context,
      `${context.sender} ${action === "deleted" ? "unstarred" : "starred"} the repository ${context.repositoryLink}.`,
    ),
  status: ({ sha, state, target_url, commit }, context) =>
    about(context, `${link(sha.slice(0, 12), commit?.html_url)} changed its status to ${link(state, target_url)}.`),
  team: ({ team, action, changes, repository }, context) => {
    if (!team) return undefined;
    const topic = `team ${team.name}`;
    if (action === "edited" && changes?.description)
      return { topic, content: withQuote(`**${context.sender}** changed the team description to`, team.description) };
    if (action === "edited" && changes?.name)
      return { topic, content: `Team ${code(changes.name.from)} was renamed to ${code(team.name)}.` };
    if (action === "edited" && changes?.privacy)
      return { topic, content: `Team visibility changed to ${code(team.privacy)}` };
    const place = repository ? ` (${context.repositoryLink})` : "";
    return {
      topic,
      content: `${context.sender}: team ${link(team.name, team.html_url)} ${plain(words(action))}${place}.`,
    };
  },
  team_add: ({ team }, context) =>
    about(context, `The repository ${context.repositoryLink} was added to team ${plain(team?.name ?? "")}.`),
  workflow_run: ({ workflow_run: it, workflow, action }, context) =>
    it &&
    action === "completed" &&
    isBranchWanted(it.head_branch, context.branches) &&
    !isStepOfMergeQueue(it.head_branch, it.conclusion)
      ? {
          topic: `${context.repository} / workflows`,
          content: `Workflow ${link(`${it.name || workflow?.name || "run"} #${it.run_number}`, it.html_url)} completed (${plain(words(it.conclusion || "unknown"))}) on branch ${plain(it.head_branch)}. (${plain(firstLine(it.head_sha).slice(0, 12))})`,
        }
      : undefined,
};

const queueBranches = "branches of the merge queue";

const leavesOut = {
  check_run: "checks that have not ended, or that pass in the merge queue",
  check_suite: "groups of checks, each of which is posted",
  create: queueBranches,
  custom_property: "settings of an organization",
  custom_property_values: "settings of an organization",
  delete: queueBranches,
  discussion: "labels and changes of the category",
  github_app_authorization: "apps",
  installation: "apps",
  installation_repositories: "apps",
  installation_target: "apps",
  issue_dependencies: "links between issues",
  issues: "edits that change neither title nor text",
  label: "the list of labels",
  marketplace_purchase: "purchases of apps",
  merge_group: "steps of the merge queue",
  meta: "the webhook itself",
  org_block: "people who are blocked",
  personal_access_token_request: "tokens",
  project: "boards",
  project_card: "boards",
  project_column: "boards",
  projects_v2: "boards",
  projects_v2_item: "boards",
  projects_v2_status_update: "boards",
  pull_request:
    "labels, milestones, the merge queue, withdrawn review requests, and edits that change neither title nor text",
  pull_request_review: "reviews without a text of their own, whose comments are posted",
  push: queueBranches,
  release: "drafts, and what comes together with `published`",
  repository_advisory: "drafts of security advisories, which not everybody may see",
  repository_dispatch: "events that programs send",
  repository_ruleset: "settings of a repository",
  repository_vulnerability_alert: "alerts of a deprecated kind",
  secret_scanning_alert_location: "locations of alerts, which are themselves posted",
  secret_scanning_scan: "scans for secrets",
  security_advisory: "advisories for all of GitHub",
  security_and_analysis: "settings of a repository",
  sub_issues: "links between issues",
  watch: "stars, which are posted",
  workflow_dispatch: "runs, which are posted when they end",
  workflow_job: "parts of runs, which are posted",
  workflow_run: "runs that have not ended, or that pass in the merge queue",
};

const eventOf = ({ headers }: Delivery) => headers["x-github-event"];

export const service = integration({
  title: "GitHub",
  logo: "github",
  summary:
    "Pushes, pull requests, issues, reviews, comments, releases, workflows and other events of a repository or an organization.",
  setUp: [
    "In the repository or the organization, open **Settings → Webhooks → Add webhook**.",
    "Enter the URL as **Payload URL**, and choose **application/json** as the content type. A **Secret** is optional.",
    "Choose the events, and press **Add webhook**. A message says that the webhook is configured.",
  ],
  events: Object.keys(handlers),
  leavesOut,
  parameters: {
    branches: "a comma-separated list of branches whose pushes and workflows are posted; by default, all",
    ignore_private_repositories: "`true`: what happens in private repositories is not posted",
  },
  payload,
  deliveryId: (_, { headers }) => headers["x-github-delivery"],
  isSigned: ({ headers, body }, secret) => isHmac(headers["x-hub-signature-256"], secret, body, { prefix: "sha256=" }),
  toPost(payload, delivery) {
    const event = eventOf(delivery);
    if (event === undefined)
      throw new UnreadablePayload("it has no header X-GitHub-Event, by which GitHub names the event");
    if (payload.repository?.private && delivery.parameter("ignore_private_repositories") === "true") return undefined;
    const { repository } = payload;
    const context: Context = {
      sender: plain(payload.sender?.login || payload.pusher?.name || "Someone"),
      repository: repository?.name || payload.organization?.login || "GitHub",
      repositoryLink: repository ? link(repository.full_name, repository.html_url) : "",
      branches: delivery.parameter("branches"),
    };
    const post = handlerOf(event, "X-GitHub-Event", handlers, leavesOut)?.(payload, context);
    return post && { ...post, event };
  },
});
