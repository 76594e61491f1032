import { type Example, quoted } from "../../example.ts";

const base = "https://dev.azure.com/milan/";
const url = `${base}island/_git/island`;
const repository = { name: "island", remoteUrl: url, webUrl: url, project: { name: "island" } };
const miranda = { displayName: "Miranda", uniqueName: "miranda@milan.example" };
const sha = "bffeb74224043ba2feb48d137756c8a9331c449a";
const before = "28e1879d029cb852e4844d9c718537df08844e03";
const zeros = "0".repeat(40);
const pull = {
  ...{ repository, pullRequestId: 4, status: "active", title: "Calm the sea", description: "As promised." },
  ...{
    sourceRefName: "refs/heads/calm",
    targetRefName: "refs/heads/main",
    mergeStatus: "succeeded",
    createdBy: miranda,
  },
  _links: { web: { href: `${url}/pullrequest/4` } },
};
const pullTopic = "island / PR #4 Calm the sea";
const aPull = `[PR #4](${url}/pullrequest/4)`;
const fields = {
  "System.TeamProject": "island",
  "System.WorkItemType": "Bug",
  "System.State": "New",
  "System.Title": "The tempest is too loud",
  "System.CreatedBy": "Miranda <miranda@milan.example>",
  "System.ChangedBy": miranda,
};
const item = { id: 3, rev: 1, fields, _links: { html: { href: `${base}island/_workitems/edit/3` } } };
const itemTopic = "Bug #3 The tempest is too loud";
const anItem = `[Bug #3](${base}island/_workitems/edit/3)`;
const run = { name: "20260301.1", _links: { web: { href: `${base}island/_build/results?buildId=9` } } };
const aRun = `[open](${base}island/_build/results?buildId=9)`;

let nextDelivery = 1;
const example = (eventType: string, message: string, resource: object, topic: string, content: string): Example => [
  {},
  {
    ...{
      subscriptionId: "bb3738ff",
      id: `9c335e3e-${nextDelivery++}`,
      eventType,
      publisherId: "tfs",
      message: { text: message },
      resource,
    },
    resourceContainers: { project: { id: "068d2409", baseUrl: base } },
  },
  topic,
  content,
];
const pushed = (refUpdates: object[], commits: object[] = []) => ({
  commits,
  refUpdates,
  repository,
  pushedBy: miranda,
});
/** Events of which Azure says everything in a sentence. */
const told = (eventType: string, sentence: string, resource: object, topic: string) =>
  example(eventType, `${sentence}.`, resource, topic, `${sentence} (${aRun}).`);

export const examples: Example[] = [
  example(
    "git.push",
    `Miranda pushed updates to island:main\r\n(${url}/#version=GBmain)`,
    pushed(
      [{ name: "refs/heads/main", oldObjectId: before, newObjectId: sha }],
      [{ commitId: sha, comment: "Calm the sea", author: { name: "Miranda" }, url: "https://dev.azure.com/_apis/1" }],
    ),
    "island / main",
    `Miranda [pushed](${url}/branchCompare?baseVersion=GC${before}&targetVersion=GC${sha}&_a=files) 1 commit to branch main.\n\n* Calm the sea ([bffeb7422404](${url}/commit/${sha}))`,
  ),
  example(
    "git.push",
    "Miranda pushed updates to island",
    pushed([
      { name: "refs/heads/calm", oldObjectId: sha, newObjectId: zeros },
      { name: "refs/tags/v1.0", oldObjectId: zeros, newObjectId: sha },
    ]),
    "island",
    `Miranda [deleted](${url}) the branch calm.\n\nMiranda pushed the tag \`v1.0\`.`,
  ),
  example(
    "git.pullrequest.created",
    "Miranda created pull request 4",
    pull,
    pullTopic,
    `Miranda created ${aPull} from \`calm\` to \`main\`:\n\n${quoted("As promised.")}`,
  ),
  example(
    "git.pullrequest.updated",
    `Miranda updated the source branch of pull request 4 (Calm the sea) in island\r\n${url}/`,
    pull,
    pullTopic,
    `Miranda updated the source branch of pull request 4 (Calm the sea) in island: ${aPull}.`,
  ),
  example(
    "git.pullrequest.merged",
    "Miranda has created a pull request merge commit",
    { ...pull, status: "completed", closedBy: { displayName: "Ariel" } },
    pullTopic,
    `Ariel merged ${aPull} from \`calm\` to \`main\`.`,
  ),
  example(
    "git.pullrequest.merged",
    "Pull request 4 could not be merged",
    { ...pull, mergeStatus: "rejectedByPolicy" },
    pullTopic,
    `The merge of ${aPull} from \`calm\` to \`main\` was tried: rejected by policy.`,
  ),
  example(
    "ms.vss-code.git-pullrequest-comment-event",
    "Ariel has commented on a pull request",
    { comment: { id: 2, author: { displayName: "Ariel" }, content: "Well done" }, pullRequest: pull },
    pullTopic,
    `Ariel commented on ${aPull}:\n\n${quoted("Well done")}`,
  ),
  example(
    "workitem.created",
    "Bug #3 created by Miranda",
    {
      ...item,
      fields: {
        ...fields,
        "System.AssignedTo": { displayName: "Ariel" },
        "System.Description": "<div>I &lt;cannot&gt; sleep.</div>",
      },
    },
    itemTopic,
    `Miranda created ${anItem} for Ariel:\n\n${quoted("I <cannot> sleep.")}`,
  ),
  example(
    "workitem.updated",
    "Bug #3 updated by Miranda",
    {
      ...{ id: 2, workItemId: 3, rev: 2, revisedBy: miranda, revision: { id: 3, rev: 2, fields } },
      fields: {
        "System.Rev": { oldValue: "1", newValue: "2" },
        "System.State": { oldValue: "New", newValue: "Approved" },
        "System.AssignedTo": { newValue: { displayName: "Ariel" } },
      },
    },
    itemTopic,
    `Miranda updated ${anItem}.\n\n* **state**: New → Approved\n* **assignee**: none → Ariel`,
  ),
  example(
    "workitem.commented",
    "Bug #3 commented on by Miranda",
    { ...item, fields: { ...fields, "System.History": "Nor can I.<br>Indeed" } },
    itemTopic,
    `Miranda commented on ${anItem}:\n\n${quoted("Nor can I.\nIndeed")}`,
  ),
  example("workitem.deleted", "Bug #3 deleted by Miranda", item, itemTopic, `Miranda deleted ${anItem}.`),
  example("workitem.restored", "Bug #3 restored by Miranda", item, itemTopic, `Miranda restored ${anItem}.`),
  example(
    "build.complete",
    "Build 20260301.1 failed",
    {
      ...{
        id: 9,
        buildNumber: "20260301.1",
        status: "completed",
        result: "partiallySucceeded",
        definition: { name: "tempest" },
      },
      ...{ sourceBranch: "refs/heads/main", requestedFor: miranda, _links: run._links },
    },
    "tempest",
    `The build [tempest 20260301.1](${base}island/_build/results?buildId=9) of \`main\` partially succeeded, started by Miranda.`,
  ),
  ...["git.repo.created", "git.repo.renamed", "git.repo.deleted"].map((event) =>
    told(event, `Miranda changed the repository island`, { repository, _links: run._links }, "island"),
  ),
  told("tfvc.checkin", "Miranda checked in changeset 2: Calm the sea", { _links: run._links }, "Azure DevOps"),
  ...[
    "ms.vss-pipelines.run-state-changed-event",
    "ms.vss-pipelines.stage-state-changed-event",
    "ms.vss-pipelines.job-state-changed-event",
    "ms.vss-pipelinechecks-events.approval-pending",
    "ms.vss-pipelinechecks-events.approval-completed",
  ].map((event) => told(event, "Run 20260301.1 succeeded", { run, pipeline: { name: "tempest" } }, "tempest")),
  ...["ms.vss-release.release-created-event", "ms.vss-release.release-abandoned-event"].map((event) =>
    told(event, "Release Act-1 created", { release: { name: "Act-1" }, _links: run._links }, "Act-1"),
  ),
  ...[
    "ms.vss-release.deployment-started-event",
    "ms.vss-release.deployment-completed-event",
    "ms.vss-release.deployment-approval-pending-event",
    "ms.vss-release.deployment-approval-completed-event",
  ].map((event) =>
    told(
      event,
      "Deployment of release Act-1 on stage Naples succeeded",
      { environment: { release: { name: "Act-1" }, releaseDefinition: { name: "tempest" } }, _links: run._links },
      "tempest",
    ),
  ),
];
