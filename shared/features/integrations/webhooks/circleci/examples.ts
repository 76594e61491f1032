import type { Example } from "../../example.ts";

export const examples: Example[] = [
  [
    {},
    {
      type: "workflow-completed",
      id: "3888f21b-eaa7-38e3-8f3d-75a63bba8895",
      project: { name: "webhook-service" },
      workflow: {
        name: "build-test-deploy",
        status: "success",
        url: "https://app.circleci.com/pipelines/github/circleci/webhook-service/130/workflows/fda08377",
      },
      pipeline: {
        number: 130,
        vcs: {
          target_repository_url: "https://github.com/circleci/webhook-service",
          branch: "main",
          revision: "1dc6aa69429bff4806ad6afe58d3d8f57e25973e",
          commit: { subject: "Description of change", author: { name: "Author Name" } },
        },
      },
    },
    "webhook-service",
    "Workflow [build-test-deploy](https://app.circleci.com/pipelines/github/circleci/webhook-service/130/workflows/fda08377) within pipeline #130 has succeeded.\n\nTriggered on [1dc6aa69: Description of change](https://github.com/circleci/webhook-service/commit/1dc6aa69429bff4806ad6afe58d3d8f57e25973e) on branch `main` by Author Name.",
  ],
  [
    {},
    {
      type: "job-completed",
      id: "8bd71c28",
      project: { name: "webhook-service" },
      workflow: { name: "welcome", url: "https://app.circleci.com/w/1" },
      job: { name: "say-hello", status: "failed" },
      pipeline: { number: 1 },
    },
    "webhook-service",
    "Job `say-hello` of workflow [welcome](https://app.circleci.com/w/1) within pipeline #1 has failed.",
  ],
  [{}, { type: "ping", webhook: { name: "Chat" } }],
  [
    {},
    {
      type: "workflow-completed",
      id: "5cc21f02",
      project: { name: "island", slug: "circleci/abc/def" },
      workflow: { name: "build", status: "failed", url: "https://app.circleci.com/pipelines/circleci/abc/def/2" },
      pipeline: {
        number: 2,
        trigger_parameters: {
          gitlab: {
            web_url: "https://gitlab.example/miranda/island",
            commit_sha: "0123456789abcdef0123456789abcdef01234567",
            commit_title: "Calm the sea",
            commit_author_name: "Miranda",
            branch: "main",
          },
        },
      },
    },
    "island",
    "Workflow [build](https://app.circleci.com/pipelines/circleci/abc/def/2) within pipeline #2 has failed.\n\nTriggered on [01234567: Calm the sea](https://gitlab.example/miranda/island/-/commit/0123456789abcdef0123456789abcdef01234567) on branch `main` by Miranda.",
  ],
  [
    {},
    {
      type: "job-completed",
      id: "381567cf",
      project: { name: "webhook-testing", slug: "bitbucket/hari/webhook-testing" },
      workflow: { name: "sample", url: "https://app.circleci.com/pipelines/bitbucket/hari/webhook-testing/4" },
      job: { name: "build-and-test", status: "success", number: 4 },
      pipeline: {
        number: 4,
        trigger: { type: "webhook" },
        vcs: {
          provider_name: "bitbucket",
          target_repository_url: "https://code.island.example/hari/webhook-testing",
          revision: "8ab595d2de95767993472837df2cb7884519a92b",
          commit: { subject: "app.py edited online", body: "", author: { name: "Hari" }, committer: { name: null } },
          branch: "master",
        },
      },
    },
    "webhook-testing",
    "Job `build-and-test` of workflow [sample](https://app.circleci.com/pipelines/bitbucket/hari/webhook-testing/4) within pipeline #4 has succeeded.\n\nTriggered on [8ab595d2: app.py edited online](https://code.island.example/hari/webhook-testing/commits/8ab595d2de95767993472837df2cb7884519a92b) on branch `master` by Hari.",
  ],
  [
    {},
    {
      type: "workflow-completed",
      id: "02ca6868",
      project: { name: "island" },
      workflow: { name: "release", status: "success", url: "https://app.circleci.com/pipelines/circleci/abc/def/3" },
      pipeline: {
        number: 3,
        trigger: { type: "gitlab" },
        trigger_parameters: {
          gitlab: {
            ...{ web_url: "https://git.island.example/miranda/island", branch: "", tag: "v1.2", user_name: "Miranda" },
            ...{ commit_sha: "c31f86994c54672f97b5bd5e544315b7bd40e4c1", commit_title: "Enhance", type: "push" },
          },
          git: { tag: "v1.2", branch: "", checkout_sha: "c31f86994c54672f97b5bd5e544315b7bd40e4c1" },
        },
      },
    },
    "island",
    "Workflow [release](https://app.circleci.com/pipelines/circleci/abc/def/3) within pipeline #3 has succeeded.\n\nTriggered on [c31f8699: Enhance](https://git.island.example/miranda/island/-/commit/c31f86994c54672f97b5bd5e544315b7bd40e4c1) on tag `v1.2` by Miranda.",
  ],
];
