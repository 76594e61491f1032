import { maybe, object, text } from "../fields.ts";
import { firstLine, isBranchWanted } from "../git.ts";
import { handlerOf, integration, required } from "../integration.ts";
import { isHmac } from "../signature.ts";
import { code, link, plain } from "../text.ts";

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

/** Where a repository's commits are, by whose server it is on. */
function commitsOf(repository: string): string {
  const host = URL.parse(repository)?.hostname ?? "";
  return `${repository}/${/(^|\.)bitbucket\./.test(host) ? "commits" : /(^|\.)gitlab\./.test(host) ? "-/commit" : "commit"}`;
}

export const service = integration({
  title: "CircleCI",
  logo: "circleci",
  summary: "Workflows and jobs that are completed, with their result, commit and author.",
  setUp: [
    "Open **Project Settings → Webhooks → Add Webhook**, and enter the URL.",
    "Choose **Workflow Completed**, **Job Completed**, or both. A **Secret token** can be the bot's `webhook_secret`.",
  ],
  events: ["ping", "workflow-completed", "job-completed"],
  parameters: { branches: "a comma-separated list of branches whose workflows and jobs are posted; absent: all" },
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
            // Of projects of GitLab.
            gitlab: maybe(
              object({
                ...{ branch: text(), commit_sha: text(), commit_title: text(), commit_author_name: text() },
                ...{ web_url: text(), user_name: text() },
              }),
            ),
            git: maybe(
              object({
                branch: text(),
                checkout_sha: text(),
                commit_title: text(),
                commit_author_name: text(),
                repo_url: text(),
              }),
            ),
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
    const { git, gitlab } = pipeline?.trigger_parameters ?? {};
    const branch = pipeline?.vcs?.branch || git?.branch || gitlab?.branch || "";
    if (branch && !isBranchWanted(branch, parameter("branches"))) return undefined;
    const name =
      completed === job
        ? `Job ${code(completed.name)} of workflow ${link(workflow?.name ?? "", workflow?.url)}`
        : `Workflow ${link(completed.name, workflow?.url)}`;
    const outcome = outcomes[completed.status] ?? `is ${plain(completed.status)}`;
    const sha = pipeline?.vcs?.revision || git?.checkout_sha || gitlab?.commit_sha || "";
    const subject = firstLine(pipeline?.vcs?.commit?.subject || git?.commit_title || gitlab?.commit_title || "");
    const author =
      pipeline?.vcs?.commit?.author?.name ||
      git?.commit_author_name ||
      gitlab?.commit_author_name ||
      gitlab?.user_name ||
      "";
    const repository =
      pipeline?.vcs?.target_repository_url || pipeline?.vcs?.origin_repository_url || git?.repo_url || gitlab?.web_url;
    const commits = repository && commitsOf(repository);
    const commitText = link(
      `${sha.slice(0, 8)}${subject ? `: ${subject}` : ""}`,
      commits && sha && `${commits}/${sha}`,
    );
    const place = branch ? ` on branch ${code(branch)}` : pipeline?.vcs?.tag ? ` on tag ${code(pipeline.vcs.tag)}` : "";
    return {
      topic,
      content: `${name}${pipeline?.number ? ` within pipeline #${plain(pipeline.number)}` : ""} ${outcome}.${sha ? `\n\nTriggered on ${commitText}${place}${author ? ` by ${plain(author)}` : ""}.` : ""}`,
      event,
    };
  },
});
