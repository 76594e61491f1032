import { type Example, quoted } from "../../example.ts";

const url = "https://bitbucket.org/miranda/island";
const at = (path: string) => ({ html: { href: `${url}${path}` } });
const common = {
  actor: { type: "user", display_name: "Miranda", nickname: "miranda" },
  repository: { type: "repository", name: "island", full_name: "miranda/island", links: at("") },
};
const sha = "bffeb74224043ba2feb48d137756c8a9331c449a";
const target = { hash: sha, message: "Calm the sea", links: at(`/commits/${sha}`) };
const main = { type: "branch", name: "main", links: at("/branch/main"), target };
const issue = {
  ...{ id: 3, title: "The tempest is too loud", state: "new", kind: "bug", priority: "major", assignee: null },
  ...{ content: { raw: "I cannot sleep." }, links: at("/issues/3") },
};
const pull = {
  ...{ id: 4, title: "Calm the sea", description: "As promised.", state: "OPEN", reason: "", reviewers: [] },
  ...{ source: { branch: { name: "calm" } }, destination: { branch: { name: "main" } }, links: at("/pull-requests/4") },
};
const comment = {
  content: { raw: "Well done" },
  inline: { path: "sea.txt" },
  links: at("/pull-requests/4/_/diff#comment-9"),
};
const issueTopic = "island / issue #3 The tempest is too loud";
const pullTopic = "island / PR #4 Calm the sea";
const anIssue = `[issue #3](${url}/issues/3)`;
const aPull = `[PR #4](${url}/pull-requests/4)`;
const aComment = `[comment](${url}/pull-requests/4/_/diff#comment-9) in \`sea.txt\` on ${aPull}`;
const status = {
  ...{ key: "tests", name: "Unit tests", description: "All of 42", state: "SUCCESSFUL", refname: "main" },
  url: "https://ci.milan.example/9",
  links: { commit: { href: `https://api.bitbucket.org/2.0/repositories/miranda/island/commit/${sha}` } },
};

let nextDelivery = 1;
const example = (event: string, payload: object, topic: string, content: string): Example => [
  { "x-event-key": event, "x-request-uuid": `9fd2e8d3-${nextDelivery++}` },
  { ...common, ...payload },
  topic,
  content,
];
const change = (changed: object) => ({
  forced: false,
  truncated: false,
  links: at("/branches/compare/b..a"),
  ...changed,
});

export const examples: Example[] = [
  example(
    "repo:push",
    {
      push: {
        changes: [
          change({
            ...{ new: main, old: { ...main, target: { hash: "28e1879d" } } },
            commits: [
              {
                hash: sha,
                message: "Calm the sea\n\nNow",
                links: at(`/commits/${sha}`),
                author: { raw: "Ariel <a@milan.example>" },
              },
            ],
          }),
        ],
      },
    },
    "island / main",
    `Miranda [pushed](${url}/branches/compare/b..a) 1 commit to branch main. Commits by Ariel (1).\n\n* Calm the sea ([bffeb7422404](${url}/commits/${sha}))`,
  ),
  example(
    "repo:push",
    {
      push: {
        changes: [
          change({ new: null, old: main }),
          change({ new: { type: "tag", name: "v1.0", links: at("/commits/tag/v1.0") }, old: null }),
        ],
      },
    },
    "island",
    `Miranda [deleted](${url}/branch/main) the branch main.\n\nMiranda pushed the tag [v1.0](${url}/commits/tag/v1.0).`,
  ),
  example(
    "repo:fork",
    { fork: { full_name: "ariel/island", links: { html: { href: "https://bitbucket.org/ariel/island" } } } },
    "island",
    `Miranda forked [miranda/island](${url}) to [ariel/island](https://bitbucket.org/ariel/island).`,
  ),
  example(
    "repo:updated",
    { changes: { name: { old: "isle", new: "island" }, description: { old: "", new: "Full of noises" } } },
    "island",
    `Miranda changed the name from \`isle\` to \`island\` and the description of the repository [miranda/island](${url}):\n\n${quoted("Full of noises")}`,
  ),
  example("repo:transfer", {}, "island", `Miranda accepted the transfer of the repository [miranda/island](${url}).`),
  example(
    "repo:commit_comment_created",
    { comment: { content: { raw: "Well done" }, links: at(`/commits/${sha}#comment-1`) }, commit: target },
    "island",
    `Miranda [commented](${url}/commits/${sha}#comment-1) on the commit [bffeb7422404](${url}/commits/${sha}):\n\n${quoted("Well done")}`,
  ),
  example(
    "repo:commit_status_created",
    { commit_status: { ...status, state: "INPROGRESS", description: "" } },
    "island / main",
    `[Unit tests](https://ci.milan.example/9) for [bffeb7422404](${url}/commits/${sha}) on \`main\` is running.`,
  ),
  example(
    "repo:commit_status_updated",
    { commit_status: status },
    "island / main",
    `[Unit tests](https://ci.milan.example/9) for [bffeb7422404](${url}/commits/${sha}) on \`main\` succeeded:\n\n${quoted("All of 42")}`,
  ),
  example("issue:created", { issue }, issueTopic, `Miranda created ${anIssue}:\n\n${quoted("I cannot sleep.")}`),
  example(
    "issue:updated",
    {
      ...{ issue, comment: { content: { raw: "" }, links: at("/issues/3#comment-1") } },
      changes: { status: { old: "new", new: "resolved" } },
    },
    issueTopic,
    `Miranda changed the status to \`resolved\` of ${anIssue}.`,
  ),
  example(
    "issue:comment_created",
    { issue, comment: { content: { raw: "Nor can I." }, links: at("/issues/3#comment-2") } },
    issueTopic,
    `Miranda [commented](${url}/issues/3#comment-2) on ${anIssue}:\n\n${quoted("Nor can I.")}`,
  ),
  example(
    "pullrequest:created",
    { pullrequest: { ...pull, reviewers: [{ display_name: "Ariel" }] } },
    pullTopic,
    `Miranda created, with Ariel to review, ${aPull} from \`calm\` to \`main\`:\n\n${quoted("As promised.")}`,
  ),
  example(
    "pullrequest:updated",
    { pullrequest: pull },
    pullTopic,
    `Miranda updated ${aPull}:\n\n${quoted("As promised.")}`,
  ),
  example("pullrequest:approved", { pullrequest: pull }, pullTopic, `Miranda approved ${aPull}.`),
  example("pullrequest:unapproved", { pullrequest: pull }, pullTopic, `Miranda took back the approval of ${aPull}.`),
  example(
    "pullrequest:changes_request_created",
    { pullrequest: pull },
    pullTopic,
    `Miranda requested changes in ${aPull}.`,
  ),
  example(
    "pullrequest:changes_request_removed",
    { pullrequest: pull },
    pullTopic,
    `Miranda no longer requests changes in ${aPull}.`,
  ),
  example(
    "pullrequest:fulfilled",
    { pullrequest: { ...pull, state: "MERGED" } },
    pullTopic,
    `Miranda merged ${aPull} from \`calm\` to \`main\`.`,
  ),
  example(
    "pullrequest:rejected",
    { pullrequest: { ...pull, state: "DECLINED", reason: "Not yet" } },
    pullTopic,
    `Miranda declined ${aPull}:\n\n${quoted("Not yet")}`,
  ),
  example(
    "pullrequest:comment_created",
    { pullrequest: pull, comment },
    pullTopic,
    `Miranda [commented](${url}/pull-requests/4/_/diff#comment-9) in \`sea.txt\` on ${aPull}:\n\n${quoted("Well done")}`,
  ),
  ...["edited", "deleted", "resolved", "reopened"].map((verb) =>
    example(
      `pullrequest:comment_${verb === "edited" ? "updated" : verb}`,
      { pullrequest: pull, comment },
      pullTopic,
      `Miranda ${verb} a ${aComment}:\n\n${quoted("Well done")}`,
    ),
  ),
];
