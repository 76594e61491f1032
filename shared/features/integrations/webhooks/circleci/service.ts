import { maybe, object, text } from "../../fields.ts";
import { firstLine, isBranchWanted } from "../../git.ts";
import { handlerOf, integration, required } from "../../integration.ts";
import { isHmac } from "../../signature.ts";
import { code, link, plain } from "../../text.ts";

/** https://circleci.com/docs/webhooks/ */

const commit = maybe(object({ subject: text(), body: text(), author: maybe(object({ name: text() })) }));

const outcomes: Record<string, string> = {
  ...{ success: "has succeeded", failed: "has failed", error: "was terminated by an error" },
  ...{
    canceled: "was canceled",
    unauthorized: "was unauthorized",
    infrastructure_fail: "failed for CircleCI's infrastructure",
  },
};

/** Where a repository's commits are, by the server that it is on. */
function commitsOf(repository: string, provider: string): string {
  const isOn = (name: string) =>
    provider.startsWith(name) || new RegExp(`(^|\\.)${name}\\.`).test(URL.parse(repository)?.hostname ?? "");
  return `${repository}/${isOn("bitbucket") ? "commits" : isOn("gitlab") ? "-/commit" : "commit"}`;
}

/** Of projects that belong to no account of GitHub or Bitbucket: what GitLab and GitHub's app say of the commit. */
const trigger = {
  ...{ branch: text(), tag: text(), commit_sha: text(), checkout_sha: text(), commit_title: text() },
  ...{ commit_author_name: text(), user_name: text(), web_url: text(), repo_url: text() },
};

export const service = integration({
  title: "CircleCI",
  logo: "circleci",
  summary: "Workflows and jobs that are completed, with their result, commit and author.",
  setUp: [
    "Open **Project Settings → Webhooks → Add Webhook**, and enter the URL.",
    "Choose **Workflow Completed**, **Job Completed**, or both. A **Secret token** can be the bot's `webhook_secret`.",
  ],
  events: ["ping", "workflow-completed", "job-completed"],
  parameters: { branches: "a comma-separated list of branches whose workflows and jobs are posted; by default, all" },
  payload: object({
    type: text(),
    id: text(),
    webhook: maybe(object({ name: text() })),
    project: maybe(object({ name: text(), slug: text() })),
    pipeline: maybe(
      object({
        number: text(),
        vcs: maybe(
          object({
            provider_name: text(),
            branch: text(),
            tag: text(),
            revision: text(),
            target_repository_url: text(),
            origin_repository_url: text(),
            commit,
          }),
        ),
        trigger_parameters: maybe(
          object({
            gitlab: maybe(object(trigger)),
            github_app: maybe(object(trigger)),
            git: maybe(object(trigger)),
          }),
        ),
      }),
    ),
    workflow: maybe(object({ name: text(), status: text(), url: text() })),
    job: maybe(object({ name: text(), status: text(), number: text() })),
  }),
  deliveryId: ({ id }) => id,
  isSigned: ({ headers, body }, secret) =>
    (headers["circleci-signature"] ?? "")
      .split(",")
      .slice(0, 10)
      .some((given) => isHmac(given.trim(), secret, body, { prefix: "v1=" })),
  toPost({ type: event, project, pipeline, workflow, job, webhook }, { parameter }) {
    const topic = project?.name || "CircleCI";
    if (event === "ping")
      return { topic: "CircleCI", content: `The webhook ${plain(webhook?.name ?? "")} is configured.`, event };
    const about = handlerOf(event, "type", { "job-completed": () => job, "workflow-completed": () => workflow }, {});
    const completed = required(about?.(), event === "job-completed" ? "job" : "workflow");
    const { vcs, trigger_parameters: { git, gitlab, github_app } = {} } = pipeline ?? {};
    const triggers = [gitlab, github_app, git];
    const given = (name: keyof typeof trigger) => triggers.map((it) => it?.[name]).find(Boolean) ?? "";
    const branch = vcs?.branch || given("branch");
    const tag = vcs?.tag || given("tag");
    if (branch && !isBranchWanted(branch, parameter("branches"))) return undefined;
    const name =
      completed === job
        ? `Job ${code(completed.name)} of workflow ${link(workflow?.name ?? "", workflow?.url)}`
        : `Workflow ${link(completed.name, workflow?.url)}`;
    const outcome = outcomes[completed.status] ?? `is ${plain(completed.status)}`;
    const sha = vcs?.revision || given("commit_sha") || given("checkout_sha");
    const subject = firstLine(vcs?.commit?.subject || given("commit_title"));
    const author = vcs?.commit?.author?.name || given("commit_author_name") || given("user_name");
    const repository =
      vcs?.target_repository_url || vcs?.origin_repository_url || given("web_url") || given("repo_url");
    const commits = repository && commitsOf(repository, vcs?.provider_name || (gitlab ? "gitlab" : ""));
    const commitText = link(
      `${sha.slice(0, 8)}${subject ? `: ${subject}` : ""}`,
      commits && sha && `${commits}/${sha}`,
    );
    const place = branch ? ` on branch ${code(branch)}` : tag ? ` on tag ${code(tag)}` : "";
    return {
      topic,
      content: `${name}${pipeline?.number ? ` within pipeline #${plain(pipeline.number)}` : ""} ${outcome}.${sha ? `\n\nTriggered on ${commitText}${place}${author ? ` by ${plain(author)}` : ""}.` : ""}`,
      event,
    };
  },
});
