/**
 * Requests as the services document them, without the fields that no integration reads, and what is posted. By integration:
 * headers, payload, topic, content.
 */
export type Example = [headers: Record<string, string>, payload: unknown, topic: string, content: string];

const gitlabProject = { name: "Diaspora", web_url: "https://gitlab.example/mike/diaspora" };
const gitlabUser = { name: "Administrator", username: "root" };
const quoted = (text: string) => `\`\`\`quote\n${text}\n\`\`\``;

const alertmanagerAlert = {
  status: "firing",
  labels: { alertname: "InstanceDown", instance: "andromeda", severity: "page" },
  annotations: { description: "andromeda has been down for 5 minutes.", summary: "Down" },
  startsAt: "2018-08-03T09:52:26.739266876+02:00",
  endsAt: "0001-01-01T00:00:00Z",
  generatorURL: "http://prometheus.example:9090/graph?g0.expr=up+%3D%3D+0&g0.tab=1",
};

const pagerduty = (event_type: string, data: object, agent?: object) => ({
  event: { id: "01BFJ6PV2QJXCV5H0Z0X", event_type, resource_type: "incident", agent, data },
});
const incident = {
  html_url: "https://acme.pagerduty.com/incidents/PGR0VU2",
  number: 2,
  title: "A little bump in the road",
  service: { html_url: "https://acme.pagerduty.com/services/PF9KMXH", summary: "API Service" },
  assignees: [{ html_url: "https://acme.pagerduty.com/users/PTUXL6G", summary: "User 123" }],
};

export const examples: Record<string, Example[]> = {
  gitlab: [
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
  ],
  alertmanager: [
    [
      {},
      {
        receiver: "chat",
        status: "firing",
        alerts: [alertmanagerAlert],
        groupLabels: { alertname: "InstanceDown" },
        commonLabels: { alertname: "InstanceDown" },
      },
      "InstanceDown",
      ":alert: **FIRING** andromeda has been down for 5 minutes. ([source](http://prometheus.example:9090/graph?g0.expr=up+%3D%3D+0&g0.tab=1))",
    ],
    [
      {},
      {
        receiver: "chat",
        status: "firing",
        commonLabels: { alertname: "InstanceDown" },
        alerts: [
          alertmanagerAlert,
          { ...alertmanagerAlert, annotations: { summary: "Two" }, generatorURL: "" },
          { ...alertmanagerAlert, status: "resolved", generatorURL: "" },
        ],
      },
      "InstanceDown",
      ":alert: **FIRING**\n* andromeda has been down for 5 minutes. ([source](http://prometheus.example:9090/graph?g0.expr=up+%3D%3D+0&g0.tab=1))\n* Two\n\n:squared_ok: **Resolved** andromeda has been down for 5 minutes.",
    ],
  ],
  grafana: [
    [
      {},
      {
        receiver: "My Super Webhook",
        status: "firing",
        alerts: [
          {
            status: "firing",
            labels: { alertname: "High memory usage", team: "blue" },
            annotations: { summary: "This alert was triggered for zone us-1" },
            startsAt: "2021-10-12T09:51:03.157076+02:00",
            endsAt: "0001-01-01T00:00:00Z",
            values: { B: 44.23943737541908, C: 1 },
            generatorURL: "https://play.grafana.org/alerting/1afz29v7z/edit",
          },
        ],
        commonLabels: { alertname: "High memory usage", team: "blue" },
        truncatedAlerts: 0,
        title: "[FIRING:1]  (High memory usage blue)",
      },
      "[High memory usage]",
      ":alert: **FIRING**\n\n**High memory usage**\n\nThis alert was fired at <time:2021-10-12T07:51:03.157Z>.\n\nLabels:\n- alertname: High memory usage\n- team: blue\n\nValues:\n- B: 44.23943737541908\n- C: 1\n\nAnnotations:\n- summary: This alert was triggered for zone us-1\n\n[Generator](https://play.grafana.org/alerting/1afz29v7z/edit)",
    ],
    [
      {},
      {
        title: "[Ok] Test notification",
        ruleName: "Test rule",
        ruleUrl: "http://localhost:3000/",
        state: "ok",
        message: "All is well.",
        evalMatches: [{ metric: "High value", value: 0 }],
      },
      "[Ok] Test notification",
      `:squared_ok: **OK**\n\n[Test rule](http://localhost:3000/)\n\n${quoted("All is well.")}\n\n**High value:** 0`,
    ],
  ],
  sentry: [
    [
      { "sentry-hook-resource": "issue" },
      {
        action: "created",
        actor: { name: "Sentry" },
        data: {
          issue: {
            title: "Error #1: This is a test error!",
            web_url: "https://org.sentry.io/issues/1170820242/",
            level: "error",
            culprit: "?(runner)",
            firstSeen: "2019-08-19T20:58:37.391000Z",
            project: { name: "front-end" },
          },
        },
      },
      "Error #1: This is a test error!",
      "**New issue created:** [Error #1: This is a test error!](https://org.sentry.io/issues/1170820242/)\n\n**project:** front-end\n**level:** error\n**timestamp:** <time:2019-08-19T20:58:37.391Z>\n**culprit:** ?(runner)",
    ],
    [
      { "sentry-hook-resource": "issue" },
      {
        action: "resolved",
        actor: { name: "Colleen" },
        data: { issue: { title: "Error #1", web_url: "https://org.sentry.io/issues/1/" } },
      },
      "Error #1",
      "Issue [Error #1](https://org.sentry.io/issues/1/) was marked as resolved by **Colleen**.",
    ],
    [
      { "sentry-hook-resource": "event_alert" },
      {
        action: "triggered",
        data: {
          event: {
            title: "ReferenceError: heck is not defined",
            web_url:
              "https://sentry.io/organizations/test-org/issues/1117540176/events/e4874d664c3540c1a32eab185f12c5ab/",
            level: "error",
            culprit: "?(<anonymous>)",
            datetime: "2019-08-19T21:06:17.403000Z",
            exception: { values: [{ type: "ReferenceError", value: "heck is not defined" }] },
          },
          triggered_rule: "Very Important Alert Rule!",
        },
      },
      "ReferenceError: heck is not defined",
      `**New exception:** [ReferenceError: heck is not defined](https://sentry.io/organizations/test-org/issues/1117540176/events/e4874d664c3540c1a32eab185f12c5ab/)\n\n**level:** error\n**timestamp:** <time:2019-08-19T21:06:17.403Z>\n**culprit:** ?(&lt;anonymous>)\n**rule:** Very Important Alert Rule!\n\n${quoted("ReferenceError: heck is not defined")}`,
    ],
    [
      { "sentry-hook-resource": "metric_alert" },
      {
        action: "critical",
        data: {
          description_text: "1000 events in the last 10 minutes\nFilter: level:error",
          description_title: "Critical: Too many errors",
          metric_alert: { title: "Too many errors", alert_rule: { name: "Too many errors" } },
          web_url: "https://sentry.io/organizations/test-org/alerts/1/",
        },
      },
      "Too many errors",
      `**critical:** [Critical: Too many errors](https://sentry.io/organizations/test-org/alerts/1/)\n\n${quoted("1000 events in the last 10 minutes\nFilter: level:error")}`,
    ],
  ],
  jira: [
    [
      {},
      {
        webhookEvent: "jira:issue_created",
        user: { displayName: "Leo Franchi" },
        issue: {
          key: "BUG-15",
          self: "https://jira.example/rest/api/2/issue/10014",
          fields: {
            summary: "New bug with hook",
            priority: { name: "Major" },
            issuetype: { name: "Bug" },
            description: null,
          },
        },
      },
      "BUG-15: New bug with hook",
      "Leo Franchi created [BUG-15: New bug with hook](https://jira.example/browse/BUG-15).\n\n* **Type**: Bug\n* **Priority**: Major",
    ],
    [
      {},
      {
        webhookEvent: "jira:issue_updated",
        user: { displayName: "Leo Franchi" },
        issue: {
          key: "BUG-15",
          self: "https://jira.example/rest/api/2/issue/10014",
          fields: { summary: "New bug", assignee: { displayName: "Othello" } },
        },
        changelog: {
          items: [
            { field: "status", fromString: "To Do", toString: "In Progress" },
            { field: "Rank", fromString: "", toString: "Ranked higher" },
          ],
        },
      },
      "BUG-15: New bug",
      "Leo Franchi updated [BUG-15: New bug](https://jira.example/browse/BUG-15) (assigned to **Othello**):\n\n* Changed status from **To Do** to **In Progress**",
    ],
    [
      {},
      {
        webhookEvent: "comment_created",
        comment: { body: "Just in time for AtlasCamp!", author: { displayName: "Bryan Rollins" } },
        issue: {
          key: "JRA-20002",
          self: "https://jira.example/rest/api/2/issue/99291",
          fields: { summary: "I feel the need for speed" },
        },
      },
      "JRA-20002: I feel the need for speed",
      `Bryan Rollins commented on [JRA-20002: I feel the need for speed](https://jira.example/browse/JRA-20002):\n\n${quoted("Just in time for AtlasCamp!")}`,
    ],
    [
      {},
      { webhookEvent: "sprint_started", sprint: { name: "Sprint 7", state: "active" } },
      "Sprint Sprint 7",
      "Sprint **Sprint 7** was started.",
    ],
    [
      {},
      { webhookEvent: "jira:version_released", version: { name: "2.0" } },
      "Version 2.0",
      "Version **2.0** was released.",
    ],
  ],
  pagerduty: [
    [
      {},
      pagerduty("incident.triggered", incident),
      "Incident 2",
      `:alert: Incident [2](https://acme.pagerduty.com/incidents/PGR0VU2) triggered by [API Service](https://acme.pagerduty.com/services/PF9KMXH) (assigned to [User 123](https://acme.pagerduty.com/users/PTUXL6G)).\n\n${quoted("A little bump in the road")}`,
    ],
    [
      {},
      {
        event: {
          ...pagerduty("incident.priority_updated", incident, {
            html_url: "https://acme.pagerduty.com/users/PLH1HKV",
            summary: "Tenex Engineer",
          }).event,
          id: "2",
        },
      },
      "Incident 2",
      `:info: Incident [2](https://acme.pagerduty.com/incidents/PGR0VU2) priority updated by [Tenex Engineer](https://acme.pagerduty.com/users/PLH1HKV).\n\n${quoted("A little bump in the road")}`,
    ],
    [
      {},
      {
        event: {
          ...pagerduty("incident.annotated", {
            content: "Looking into it",
            incident: {
              html_url: "https://acme.pagerduty.com/incidents/PGR0VU2",
              summary: "[#2] A little bump in the road",
            },
          }).event,
          id: "3",
        },
      },
      "Incident 2",
      `Incident [&#x5b;#2&#x5d; A little bump in the road](https://acme.pagerduty.com/incidents/PGR0VU2): annotated.\n\n${quoted("Looking into it")}`,
    ],
  ],
  linear: [
    [
      {},
      {
        action: "create",
        type: "Issue",
        url: "https://linear.app/webhooks/issue/WEB-42/drop-down-overflow",
        actor: { name: "Satyam" },
        data: {
          title: "Drop-down overflow in the select menu.",
          team: { name: "Webhooks" },
          priorityLabel: "High",
          state: { name: "Todo" },
        },
      },
      "Issue: Drop-down overflow in the select menu.",
      "[Issue](https://linear.app/webhooks/issue/WEB-42/drop-down-overflow) was created in team Webhooks.\n\nPriority: High, Status: Todo.",
    ],
    [
      {},
      {
        action: "create",
        type: "Comment",
        url: "https://linear.app/issue/LIN-1778#comment-77217de3",
        actor: { name: "Roman" },
        data: { body: "Indeed, I think this is definitely an improvement.", issue: { title: "Foo bar" } },
      },
      "Issue: Foo bar",
      `Roman [commented](https://linear.app/issue/LIN-1778#comment-77217de3) on issue **Foo bar**:\n\n${quoted("Indeed, I think this is definitely an improvement.")}`,
    ],
    [
      {},
      {
        action: "create",
        type: "ProjectUpdate",
        url: "https://linear.app/p/1#project-update-1",
        actor: { name: "Dhruv" },
        data: { body: "All good", health: "atRisk", project: { name: "Zulip" } },
      },
      "Project: Zulip",
      `Dhruv [posted](https://linear.app/p/1#project-update-1) a status update on **Zulip** (health: at risk):\n\n${quoted("All good")}`,
    ],
    [
      {},
      { action: "remove", type: "Issue", data: { title: "Gone", team: { name: "Webhooks" } } },
      "Issue: Gone",
      "This issue has been removed from team Webhooks.",
    ],
  ],
  stripe: [
    [
      {},
      {
        id: "evt_1",
        type: "charge.succeeded",
        data: { object: { id: "ch_1", object: "charge", amount: 2000, currency: "usd", customer: null } },
      },
      "Charge",
      "[Charge](https://dashboard.stripe.com/payments/ch_1) for 20.00 USD succeeded.",
    ],
    [
      {},
      {
        id: "evt_2",
        type: "invoice.payment_failed",
        data: {
          object: {
            id: "in_1",
            object: "invoice",
            number: "FB8B-1",
            amount_due: 500,
            currency: "jpy",
            customer: "cus_4",
          },
        },
      },
      "cus_4",
      "[Invoice FB8B-1](https://dashboard.stripe.com/invoices/in_1) for 500 JPY payment failed.",
    ],
    [
      {},
      {
        id: "evt_3",
        type: "customer.created",
        data: { object: { id: "cus_5", object: "customer", name: "Jenny Rosen", email: "jenny@example.com" } },
      },
      "cus_5",
      "[Customer](https://dashboard.stripe.com/customers/cus_5) was created.\n\n* Name: Jenny Rosen\n* Email: jenny@example.com",
    ],
    [
      {},
      {
        id: "evt_4",
        type: "customer.subscription.trial_will_end",
        data: {
          object: { id: "sub_1", object: "subscription", customer: "cus_5", status: "trialing", trial_end: 1480892861 },
        },
      },
      "cus_5",
      "[Subscription](https://dashboard.stripe.com/subscriptions/sub_1) trial will end at <time:2016-12-04T23:07:41.000Z>.\n\n* Status: trialing",
    ],
  ],
  circleci: [
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
  ],
  uptimerobot: [
    [
      {},
      {
        monitor_url: "server1.example.com",
        monitor_friendly_name: "Web Server",
        alert_type_friendly_name: "Down",
        alert_details: "Host Is Unreachable",
        alert_duration: "",
      },
      "Web Server",
      "Web Server (server1.example.com) is DOWN (Host Is Unreachable).",
    ],
    [
      { "content-type": "application/x-www-form-urlencoded" },
      "monitorURL=server2.example.com&monitorFriendlyName=Mail+Server&alertTypeFriendlyName=Up&alertDetails=Host+Is+Reachable&alertFriendlyDuration=44+minutes",
      "Mail Server",
      "Mail Server (server2.example.com) is back UP (Host Is Reachable).\nIt was down for 44 minutes.",
    ],
  ],
  zapier: [
    [
      {},
      { topic: "New email from zulip@zulip.com", content: "Your email **content**" },
      "New email from zulip@zulip.com",
      "Your email **content**",
    ],
    [{ "content-type": "application/x-www-form-urlencoded" }, "subject=Deals&content=Won", "Deals", "Won"],
  ],
  notion: [
    [
      {},
      { verification_token: "secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl" },
      "Verification",
      "Notion webhook has been successfully configured.\nYour verification token is: `secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl`\nPlease copy this token and paste it into your Notion webhook configuration to complete the setup.",
    ],
    [
      {},
      {
        id: "367cba44-b6f3-4c92-81e7-6a2e9659efd4",
        workspace_name: "Acme",
        authors: [{ id: "c7c11cca", type: "person" }],
        type: "page.content_updated",
        entity: { id: "153104cd-477e-809d-8dc4-ff2d96ae3090", type: "page" },
        data: {
          updated_blocks: [
            { id: "1", type: "block" },
            { id: "2", type: "block" },
          ],
        },
      },
      "Acme / pages",
      "[Page](https://www.notion.so/153104cd477e809d8dc4ff2d96ae3090) has new content (2 blocks).",
    ],
  ],
};
