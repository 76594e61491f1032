import { type Example, quoted } from "../../example.ts";

const gitlabProject = { name: "Diaspora", web_url: "https://gitlab.example/mike/diaspora" };

const gitlabUser = { name: "Administrator", username: "root" };

export const examples: Example[] = [
  [
    { "x-gitlab-event": "Push Hook" },
    {
      object_kind: "push",
      before: "95790bf891e76fee5e1747ab589903a6a1f80f22",
      after: "da1560886d4f094c3e6c9ef40349f7d38b5d27d7",
      ref: "refs/heads/master",
      user_name: "John Smith",
      project: gitlabProject,
      commits: [
        {
          id: "b6568db1bc1dcd7f8b4d5a946b0b91f9dacd7327",
          message:
            "Update Catalan translation to e38cb41.\n\nSee https://gitlab.com/gitlab-org/gitlab for more information",
          url: "https://gitlab.example/mike/diaspora/commit/b6568db1bc1dcd7f8b4d5a946b0b91f9dacd7327",
          author: { name: "Jordi Mallach" },
        },
      ],
      total_commits_count: 4,
    },
    "Diaspora / master",
    "John Smith [pushed](https://gitlab.example/mike/diaspora/-/compare/95790bf891e76fee5e1747ab589903a6a1f80f22...da1560886d4f094c3e6c9ef40349f7d38b5d27d7) 4 commits to branch master. Commits by Jordi Mallach (1).\n\n* Update Catalan translation to e38cb41. ([b6568db1bc1d](https://gitlab.example/mike/diaspora/commit/b6568db1bc1dcd7f8b4d5a946b0b91f9dacd7327))\n[and 3 more commit(s)]",
  ],
  [
    { "x-gitlab-event": "Tag Push Hook" },
    {
      object_kind: "tag_push",
      after: "82b3d5ae55f7080f1e6022629cdb57bfae7cccc7",
      ref: "refs/tags/v1.0.0",
      user_name: "John Smith",
      project: gitlabProject,
    },
    "Diaspora",
    "John Smith pushed tag [v1.0.0](https://gitlab.example/mike/diaspora/-/tags/v1.0.0).",
  ],
  [
    { "x-gitlab-event": "Issue Hook" },
    {
      object_kind: "issue",
      user: gitlabUser,
      project: gitlabProject,
      object_attributes: {
        iid: 23,
        title: "New API: create/update/delete file",
        description: "Create new API for manipulations with repository",
        url: "https://gitlab.example/issues/23",
        action: "open",
        state: "opened",
      },
      assignees: [{ name: "User1", username: "user1" }],
    },
    "Diaspora / issue #23 New API: create/update/delete file",
    `Administrator created [issue #23](https://gitlab.example/issues/23) (assigned to User1):\n\n${quoted("Create new API for manipulations with repository")}`,
  ],
  [
    { "x-gitlab-event": "Note Hook" },
    {
      object_kind: "note",
      user: gitlabUser,
      project: gitlabProject,
      object_attributes: {
        note: "This MR needs work.",
        noteable_type: "MergeRequest",
        action: "create",
        url: "https://gitlab.example/mr/1#note_1244",
      },
      merge_request: { iid: 1, title: "Tempora et eos" },
    },
    "Diaspora / MR !1 Tempora et eos",
    `Administrator [commented](https://gitlab.example/mr/1#note_1244) on [MR !1](https://gitlab.example/mr/1):\n\n${quoted("This MR needs work.")}`,
  ],
  [
    { "x-gitlab-event": "Merge Request Hook" },
    {
      object_kind: "merge_request",
      user: gitlabUser,
      project: gitlabProject,
      object_attributes: {
        iid: 1,
        title: "MS-Viewport",
        source_branch: "ms-viewport",
        target_branch: "master",
        description: "",
        url: "https://gitlab.example/merge_requests/1",
        action: "open",
      },
    },
    "Diaspora / MR !1 MS-Viewport",
    "Administrator created [MR !1](https://gitlab.example/merge_requests/1) from `ms-viewport` to `master`.",
  ],
  [
    { "x-gitlab-event": "Pipeline Hook" },
    {
      object_kind: "pipeline",
      project: gitlabProject,
      object_attributes: { id: 31, ref: "master", status: "failed", url: "https://gitlab.example/pipelines/31" },
      builds: [
        { name: "test-image", status: "success" },
        { name: "staging", status: "failed" },
      ],
    },
    "Diaspora / master",
    "[Pipeline (31)](https://gitlab.example/pipelines/31) changed status to failed with build(s):\n* test-image - success\n* staging - failed",
  ],
  [
    { "x-gitlab-event": "Wiki Page Hook" },
    {
      object_kind: "wiki_page",
      user: gitlabUser,
      project: gitlabProject,
      object_attributes: {
        title: "Awesome",
        message: "adding an awesome page",
        url: "https://gitlab.example/wikis/awesome",
        action: "create",
      },
    },
    "Diaspora / wiki pages",
    `Administrator created [wiki page "Awesome"](https://gitlab.example/wikis/awesome):\n\n${quoted("adding an awesome page")}`,
  ],
  [
    { "x-gitlab-event": "Release Hook" },
    {
      object_kind: "release",
      project: gitlabProject,
      action: "create",
      name: "v1.1",
      tag: "v1.1",
      description: "v1.1 has been released",
      url: "https://gitlab.example/releases/v1.1",
    },
    "Diaspora",
    `Created release [v1.1](https://gitlab.example/releases/v1.1) for tag v1.1:\n\n${quoted("v1.1 has been released")}`,
  ],
  [
    { "x-gitlab-event": "Feature Flag Hook" },
    {
      object_kind: "feature_flag",
      user: gitlabUser,
      project: gitlabProject,
      object_attributes: { name: "test-feature-flag", active: true },
    },
    "Diaspora",
    "Administrator turned the feature flag test-feature-flag on.",
  ],
  [
    { "x-gitlab-event": "Member Hook" },
    { event_name: "user_add_to_group", user_name: "Test User", group_name: "webhook-test" },
    "webhook-test",
    "Test User: user add to group webhook-test.",
  ],
  [
    { "x-gitlab-event": "Work Item Hook" },
    {
      object_kind: "work_item",
      user: gitlabUser,
      project: gitlabProject,
      object_attributes: { iid: 7, title: "Grow", url: "https://gitlab.example/work_items/7", action: "close" },
    },
  ],
  [
    { "x-gitlab-event": "Job Hook" },
    {
      object_kind: "build",
      ref: "main",
      build_id: 1977,
      build_name: "test",
      build_stage: "test",
      build_status: "failed",
      project: gitlabProject,
    },
  ],
  [
    { "x-gitlab-event": "Deployment Hook" },
    {
      object_kind: "deployment",
      status: "success",
      deployable_url: "https://gitlab.example/mike/diaspora/-/jobs/796",
      environment: "staging",
      short_sha: "279484c0",
      commit_url: "https://gitlab.example/mike/diaspora/-/commit/279484c0",
      project: gitlabProject,
    },
  ],
  [
    { "x-gitlab-event": "Merge Request Hook" },
    {
      object_kind: "merge_request",
      user: gitlabUser,
      project: gitlabProject,
      object_attributes: {
        iid: 1,
        title: "Viewport",
        url: "https://gitlab.example/merge_requests/1",
        action: "update",
      },
      changes: {
        title: { previous: "MS-Viewport", current: "Viewport" },
        draft: { previous: true, current: false },
        labels: { previous: [], current: [{ id: 1, title: "web" }] },
        updated_at: { previous: "2026-03-01", current: "2026-03-02" },
      },
    },
    "Diaspora / MR !1 Viewport",
    "Administrator updated [MR !1](https://gitlab.example/merge_requests/1).\n\n* Changed title from **MS-Viewport** to **Viewport**\n* Changed draft from **yes** to **no**\n* Changed labels from **none** to **web**",
  ],
  [
    { "x-gitlab-event": "Issue Hook" },
    {
      object_kind: "work_item",
      user: gitlabUser,
      project: null,
      object_attributes: {
        ...{ iid: 2, title: "The voyage", type: "Epic", action: "update" },
        url: "https://gitlab.example/groups/milan/ships/-/work_items/2",
      },
      changes: {
        weight: { previous: null, current: 3 },
        labels: { previous: [], current: [{ title: "Priority" }] },
        updated_at: { previous: "2026-03-01", current: "2026-03-02" },
      },
    },
    "milan/ships / epic #2 The voyage",
    "Administrator updated [epic #2](https://gitlab.example/groups/milan/ships/-/work_items/2).\n\n* Changed labels from **none** to **Priority**\n* Changed weight from **none** to **3**",
  ],
  [
    { "x-gitlab-event": "Merge Request Hook" },
    {
      object_kind: "merge_request",
      user: gitlabUser,
      project: gitlabProject,
      object_attributes: {
        ...{ iid: 3, title: "Template", url: "https://gitlab.example/merge_requests/3", action: "open" },
        ...{ source_branch: "a", target_branch: "b" },
        description: "<!-- Say what\n`npm test` says. -->\nCloses #1\n\n<!-- Done? -->\n\n`<!-- shown -->` <!-- open",
      },
    },
    "Diaspora / MR !3 Template",
    `Administrator created [MR !3](https://gitlab.example/merge_requests/3) from \`a\` to \`b\`:\n\n${quoted("Closes #1\n\n`<!-- shown -->` <!-- open")}`,
  ],
  [
    { "x-gitlab-event": "Pipeline Hook" },
    {
      object_kind: "pipeline",
      project: gitlabProject,
      object_attributes: { id: 31, ref: "master", status: "running" },
    },
    null,
  ],
  [
    { "x-gitlab-event": "Job Hook" },
    { object_kind: "build", ref: "main", build_name: "test", build_status: "running", project: gitlabProject },
    null,
  ],
];
