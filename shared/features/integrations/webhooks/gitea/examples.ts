import { type Example, quoted } from "../../example.ts";

const url = "https://git.milan.example/miranda/island";
const common = {
  repository: { name: "island", full_name: "miranda/island", html_url: url },
  sender: { login: "miranda", full_name: "Miranda" },
};
const issue = {
  ...{ number: 3, title: "The tempest is too loud", body: "I cannot sleep.", html_url: `${url}/issues/3` },
  ...{ assignee: null, labels: [{ name: "bug" }], milestone: { title: "Act V" } },
};
const pull = {
  ...{ ...issue, number: 4, title: "Calm the sea", body: "As promised.", html_url: `${url}/pulls/4`, merged: false },
  ...{ head: { label: "calm", ref: "calm" }, base: { label: "main", ref: "main" } },
};
const sha = "bffeb74224043ba2feb48d137756c8a9331c449a";
const issueTopic = "island / issue #3 The tempest is too loud";
const pullTopic = "island / PR #4 Calm the sea";
const anIssue = `[issue #3](${url}/issues/3)`;
const aPull = `[PR #4](${url}/pulls/4)`;

const example = (event: string, payload: object, topic: string, content: string): Example => [
  { "x-gitea-event": event },
  { ...common, ...payload },
  topic,
  content,
];

export const examples: Example[] = [
  example(
    "push",
    {
      ...{ ref: "refs/heads/main", before: "28e1879d", after: sha, compare_url: `${url}/compare/28e1879d...bffeb742` },
      ...{ total_commits: 1, pusher: common.sender },
      commits: [
        {
          id: sha,
          message: "Calm the sea\n\nNow",
          url: `${url}/commit/${sha}`,
          author: { name: "Miranda", username: "miranda" },
        },
      ],
    },
    "island / main",
    `miranda [pushed](${url}/compare/28e1879d...bffeb742) 1 commit to branch main.\n\n* Calm the sea ([bffeb7422404](${url}/commit/${sha}))`,
  ),
  example("create", { ref: "v1.0", ref_type: "tag" }, "island", `miranda created the tag [v1.0](${url}/src/tag/v1.0).`),
  example("delete", { ref: "calm", ref_type: "branch" }, "island", "miranda deleted the branch `calm`."),
  example(
    "fork",
    {
      forkee: { full_name: "prospero/island", html_url: "https://git.milan.example/prospero/island" },
    },
    "prospero/island",
    `miranda forked [prospero/island](https://git.milan.example/prospero/island) to [miranda/island](${url}).`,
  ),
  example(
    "issues",
    { action: "opened", issue },
    issueTopic,
    `miranda opened ${anIssue}:\n\n${quoted("I cannot sleep.")}`,
  ),
  example(
    "issues",
    { action: "assigned", issue: { ...issue, assignee: { login: "ariel" } } },
    issueTopic,
    `miranda assigned ariel to ${anIssue}.`,
  ),
  example(
    "issues",
    { action: "label_updated", issue },
    issueTopic,
    `miranda changed the labels of ${anIssue} to \`bug\`.`,
  ),
  example(
    "issues",
    { action: "milestoned", issue },
    issueTopic,
    `miranda set the milestone of ${anIssue} to **Act V**.`,
  ),
  example(
    "pull_request",
    { action: "opened", pull_request: pull },
    pullTopic,
    `miranda opened ${aPull} from \`calm\` to \`main\`:\n\n${quoted("As promised.")}`,
  ),
  example(
    "pull_request",
    { action: "closed", pull_request: { ...pull, merged: true } },
    pullTopic,
    `miranda merged ${aPull}.`,
  ),
  example(
    "pull_request",
    { action: "closed", pull_request: pull },
    pullTopic,
    `miranda closed without merge ${aPull}.`,
  ),
  example(
    "pull_request",
    { action: "review_requested", pull_request: pull, requested_reviewer: { login: "ariel" } },
    pullTopic,
    `miranda asked ariel to review ${aPull}.`,
  ),
  example(
    "pull_request",
    { action: "synchronized", pull_request: pull },
    pullTopic,
    `miranda added commit(s) to ${aPull}.`,
  ),
  example(
    "issue_comment",
    { action: "created", issue, comment: { body: "Nor can I.", html_url: `${url}/issues/3#issuecomment-9` } },
    issueTopic,
    `miranda [commented](${url}/issues/3#issuecomment-9) on ${anIssue}:\n\n${quoted("Nor can I.")}`,
  ),
  example(
    "issue_comment",
    {
      action: "edited",
      is_pull: true,
      issue: pull,
      comment: { body: "Better.", html_url: `${url}/pulls/4#issuecomment-10` },
    },
    pullTopic,
    `miranda [edited](${url}/pulls/4#issuecomment-10) a comment on ${aPull}:\n\n${quoted("Better.")}`,
  ),
  example(
    "pull_request_approved",
    { action: "reviewed", pull_request: pull, review: { type: "pull_request_review_approved", content: "Well done" } },
    pullTopic,
    `miranda approved ${aPull}:\n\n${quoted("Well done")}`,
  ),
  example(
    "pull_request_rejected",
    { action: "reviewed", pull_request: pull, review: { type: "pull_request_review_rejected", content: "Not yet" } },
    pullTopic,
    `miranda requested changes in ${aPull}:\n\n${quoted("Not yet")}`,
  ),
  example(
    "pull_request_comment",
    { action: "reviewed", pull_request: pull, review: { type: "pull_request_review_comment", content: "Why?" } },
    pullTopic,
    `miranda reviewed ${aPull}:\n\n${quoted("Why?")}`,
  ),
  example(
    "release",
    {
      action: "published",
      release: { tag_name: "v1.0", name: "Act I", html_url: `${url}/releases/tag/v1.0`, body: "The storm." },
    },
    "island / v1.0 Act I",
    `miranda published the release [Act I](${url}/releases/tag/v1.0):\n\n${quoted("The storm.")}`,
  ),
  example(
    "wiki",
    { action: "created", page: "Spirits", comment: "Add" },
    "island / wiki",
    `miranda created the page [Spirits](${url}/wiki/Spirits).`,
  ),
  example("repository", { action: "created" }, "island", `miranda created the repository [miranda/island](${url}).`),
  [{ "x-gitea-event": "push" }, { ...common, ref: "refs/tags/v1.0", commits: [] }, null],
];
