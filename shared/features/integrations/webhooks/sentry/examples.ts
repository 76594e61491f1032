import { type Example, quoted } from "../../example.ts";

export const examples: Example[] = [
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
  [
    { "sentry-hook-resource": "error" },
    {
      action: "created",
      data: {
        error: {
          title: "ReferenceError: heck is not defined",
          web_url: "https://sentry.io/organizations/acme/issues/1117540176/",
          level: "error",
          datetime: "2019-08-19T21:06:17.000Z",
          exception: { values: [{ type: "ReferenceError", value: "heck is not defined" }] },
        },
      },
    },
  ],
  [
    { "sentry-hook-resource": "comment" },
    {
      action: "created",
      actor: { name: "Colleen" },
      data: { comment: "Adding a comment", issue_id: "1234", project_slug: "front-end" },
    },
  ],
  [{ "sentry-hook-resource": "installation" }, { action: "created", actor: { name: "Colleen" }, data: {} }],
  [
    { "sentry-hook-resource": "error" },
    {
      action: "created",
      data: {
        error: {
          title: "ValueError: no sea",
          web_url: "https://org.sentry.io/issues/1/events/2/",
          level: "error",
          exception: {
            values: [
              {
                type: "ValueError",
                value: "no sea",
                stacktrace: {
                  frames: [
                    {
                      ...{ filename: "island/magic.py", function: "cast", lineno: 40, in_app: true },
                      ...{ context_line: "        calm(sea)", pre_context: [""], post_context: [""] },
                    },
                    {
                      ...{ filename: "island/storm.py", function: "calm", lineno: 12, in_app: true },
                      context_line: "    raise ValueError('no sea')",
                    },
                    { filename: "lib/wind.py", function: "blow", lineno: 3, in_app: false },
                  ],
                },
              },
            ],
          },
        },
      },
    },
    "ValueError: no sea",
    `**New exception:** [ValueError: no sea](https://org.sentry.io/issues/1/events/2/)\n\n**level:** error\n**file:** \`island/storm.py:12\` in \`calm\`\n\n${quoted("ValueError: no sea")}\n\n\`\`\`\`quote\n\`\`\`text\nisland/magic.py:40 in cast\n    calm(sea)\nisland/storm.py:12 in calm\n    raise ValueError('no sea')\n\`\`\`\n\`\`\`\``,
  ],
];
