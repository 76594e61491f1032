import type { Example } from "./example.ts";

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
];
