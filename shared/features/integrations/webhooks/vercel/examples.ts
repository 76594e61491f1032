import { type Example, quoted } from "../../example.ts";

const sha = "bffeb74224043ba2feb48d137756c8a9331c449a";
const links = {
  deployment: "https://vercel.com/milan/island/5c9d2f",
  project: "https://vercel.com/milan/island",
};
const project = { id: "prj_island" };
const named = { id: "prj_island", name: "island" };
const github = {
  ...{
    githubCommitAuthorName: "Miranda",
    githubCommitAuthorLogin: "miranda",
    githubCommitMessage: "Calm the sea\n\nNow",
  },
  ...{ githubCommitOrg: "milan", githubCommitRepo: "island", githubCommitRef: "main", githubCommitSha: sha },
  ...{ githubDeployment: "1", githubOrg: "milan", githubRepo: "island" },
};
const gitlab = {
  ...{ gitlabCommitAuthorName: "Ariel", gitlabCommitMessage: "Fly", gitlabCommitRef: "main", gitlabCommitSha: sha },
  ...{ gitlabProjectPath: "milan/island", gitlabProjectRepo: "island" },
};
const bitbucket = {
  ...{ bitbucketCommitAuthorName: "Ariel", bitbucketCommitMessage: "Fly", bitbucketCommitRef: "main" },
  ...{ bitbucketCommitSha: sha, bitbucketRepoOwner: "milan", bitbucketRepoSlug: "island" },
};

let nextDelivery = 1;
const example = (type: string, payload: object, topic: string, content: string): Example => [
  {},
  {
    ...{ type, id: `uev_${nextDelivery++}`, createdAt: 1772366400000, region: "fra1" },
    payload: { team: { id: "team_milan" }, user: { id: "user_miranda" }, ...payload },
  },
  topic,
  content,
];

const site = "[island](https://island-5c9d2f.vercel.app/)";
const details = "* **Details**: [open](https://vercel.com/milan/island/5c9d2f)";
const deployed = (
  type: string,
  verb: string,
  { meta = github as object, target = "production" as string | null, topic = "island / main" } = {},
  facts = `* **Commit**: [bffeb7422404](https://github.com/milan/island/commit/${sha}) Calm the sea\n* **By**: Miranda\n${details}`,
) =>
  example(
    type,
    {
      deployment: { id: "dpl_5c9d2f", meta, url: "island-5c9d2f.vercel.app", name: "island" },
      ...{ links, target, project, plan: "pro", regions: ["fra1"], alias: ["island.example"] },
    },
    topic,
    `The deployment${topic === "island" ? "" : " of `main`"} to ${site}${target ? ` (${target})` : ""} ${verb}.\n\n${facts}`,
  );

const ofProject = (type: string, payload: object, content: string) =>
  example(type, { project: named, ...payload }, "island", content);
const ofDomain = (type: string, payload: object, content: string) =>
  example(type, { domain: { name: "island.example" }, ...payload }, "island.example", content);
const rolling = (type: string, state: string, targetPercentage: number, content: string) =>
  ofProject(
    `project.rolling-release.${type}`,
    {
      rollingRelease: {
        ...{
          projectId: "prj_island",
          ownerId: "team_milan",
          deploymentIds: ["dpl_1", "dpl_2"],
          state,
          activeStageIndex: 0,
        },
        default: { baseDeploymentId: "dpl_1", targetDeploymentId: "dpl_2", targetPercentage },
        config: { target: "production", stages: [{ targetPercentage: 10 }, { targetPercentage: 100 }] },
      },
    },
    content,
  );

export const examples: Example[] = [
  deployed("deployment.created", "has started"),
  deployed("deployment.ready", "is ready"),
  deployed("deployment.succeeded", "has succeeded"),
  deployed(
    "deployment.error",
    "has failed",
    { meta: gitlab, target: null },
    `* **Commit**: [bffeb7422404](https://gitlab.com/milan/island/-/commit/${sha}) Fly\n* **By**: Ariel\n${details}`,
  ),
  deployed(
    "deployment.canceled",
    "was canceled",
    { meta: bitbucket, target: "staging" },
    `* **Commit**: [bffeb7422404](https://bitbucket.org/milan/island/commits/${sha}) Fly\n* **By**: Ariel\n${details}`,
  ),
  deployed("deployment.promoted", "was promoted to production", { target: null }),
  // Deployed by a command, without a commit.
  deployed("deployment.created", "has started", { meta: {}, topic: "island" }, details),
  example(
    "deployment.rollback",
    { project, fromDeploymentId: "dpl_2", toDeploymentId: "dpl_1" },
    "prj_island",
    "The project prj_island goes back from the deployment `dpl_2` to `dpl_1`.",
  ),
  ofProject("project.created", {}, "The project island was created."),
  ofProject("project.removed", {}, "The project island was deleted."),
  ofProject("project.renamed", { previousName: "isle" }, "The project `isle` was renamed to island."),
  rolling("started", "ACTIVE", 10, "The rolling release of island has started: 10 % of the visitors see it."),
  rolling("approved", "ACTIVE", 50, "The rolling release of island goes on: 50 % of the visitors see it."),
  rolling("completed", "COMPLETE", 100, "The rolling release of island is complete."),
  rolling("aborted", "ABORTED", 10, "The rolling release of island was aborted."),
  ofDomain("project.domain-created", { project }, "The domain `island.example` of the project `prj_island` was added."),
  ofDomain(
    "project.domain-deleted",
    { project },
    "The domain `island.example` of the project `prj_island` was removed.",
  ),
  ofDomain(
    "project.domain-moved",
    { from: { projectId: "prj_isle" }, to: { projectId: "prj_island" }, isRedirect: true },
    "The domain `island.example` was moved from the project `prj_isle` to `prj_island`, with a redirect.",
  ),
  ofDomain(
    "project.domain-verified",
    { project },
    "The domain `island.example` of the project `prj_island` is verified.",
  ),
  ofDomain(
    "project.domain-unverified",
    { project },
    "The domain `island.example` of the project `prj_island` is no longer verified.",
  ),
  example(
    "project.domain-updated",
    {
      project,
      previous: { domain: "isle.example", redirect: null, redirectStatusCode: null, gitBranch: null },
      next: { domain: "isle.example", redirect: "island.example", redirectStatusCode: 308, gitBranch: null },
    },
    "isle.example",
    "The domain `isle.example` of the project `prj_island` was changed.\n\n* **redirect**: none → `island.example`",
  ),
  example(
    "domain.created",
    { domain: { name: "island.example", delegated: false } },
    "island.example",
    "The domain `island.example` was added.",
  ),
  ofDomain(
    "domain.renewal",
    { price: "20.00", expirationDate: "2027-03-01T12:00:00.000Z", renewedAt: "2026-03-01T12:00:00.000Z" },
    "The domain `island.example` was renewed.",
  ),
  ofDomain(
    "domain.renewal-failed",
    { errorReason: "The card was refused.", failedAt: "2026-03-01T12:00:00.000Z" },
    `The domain \`island.example\` could not be renewed:\n\n${quoted("The card was refused.")}`,
  ),
  ofDomain("domain.transfer-in-started", {}, "The transfer of the domain `island.example` to Vercel has started."),
  ofDomain("domain.transfer-in-completed", {}, "The domain `island.example` was transferred to Vercel."),
  ofDomain("domain.transfer-in-failed", {}, "The transfer of the domain `island.example` to Vercel has failed."),
  example(
    "domain.certificate-add-failed",
    { dnsNames: ["island.example", "www.island.example"] },
    "island.example",
    "The certificate of `island.example` and `www.island.example` could not be issued.",
  ),
  example(
    "domain.certificate-renew-failed",
    { dnsNames: ["island.example"] },
    "island.example",
    "The certificate of `island.example` could not be renewed.",
  ),
  example(
    "alerts.triggered",
    {
      ...{ teamId: "team_milan", projectId: "prj_island", startedAt: 1772366400000, teamSlug: "milan" },
      ...{ projectSlug: "island", groupId: "group_1" },
      links: { observability: "https://vercel.com/milan/island/observability" },
      alerts: [
        {
          ...{ startedAt: "2026-03-01T12:00:00.000Z", title: "Many more errors than usual", unit: "requests" },
          ...{ count: 420, average: 12, stddev: 4, zscore: 9.5, zscoreThreshold: 4, alertId: "alert_1" },
          ...{ type: "error_anomaly", metric: "edge_requests" },
        },
      ],
    },
    "island",
    "[Alert](https://vercel.com/milan/island/observability) for the project `island`:\n\n* Many more errors than usual",
  ),
];
