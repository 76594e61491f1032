import { type Example, quoted } from "../../example.ts";

const alertOf = (status: string) => ({
  status,
  labels: { alertname: "High memory usage" },
  startsAt: "2021-10-12T07:51:03.157Z",
  endsAt: "2021-10-12T08:20:00.000Z",
  generatorURL: "https://play.grafana.org/alerting/1afz29v7z/edit",
});

export const examples: Example[] = [
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
  [{}, { status: "resolved", alerts: [alertOf("resolved")], commonLabels: { alertname: "High memory usage" } }],
  ...["alerting", "no_data", "paused", "pending"].map(
    (state): Example => [
      {},
      { title: `[${state}] Test notification`, ruleName: "Test rule", ruleUrl: "http://localhost:3000/", state },
    ],
  ),
];
