import type { Example } from "../../example.ts";

const alertmanagerAlert = {
  status: "firing",
  labels: { alertname: "InstanceDown", instance: "andromeda", severity: "page" },
  annotations: { description: "andromeda has been down for 5 minutes.", summary: "Down" },
  startsAt: "2018-08-03T09:52:26.739266876+02:00",
  endsAt: "0001-01-01T00:00:00Z",
  generatorURL: "http://prometheus.example:9090/graph?g0.expr=up+%3D%3D+0&g0.tab=1",
};

export const examples: Example[] = [
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
  [
    {},
    {
      status: "resolved",
      commonLabels: { alertname: "InstanceDown" },
      alerts: [{ ...alertmanagerAlert, status: "resolved" }],
    },
  ],
];
