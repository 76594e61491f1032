import { type Example, quoted } from "../../example.ts";

const page = { id: "jb7j80", status_indicator: "minor", status_description: "Partial System Outage" };
const incident = {
  ...{ id: "z3lct0", name: "Uploads are slow", status: "investigating", impact: "minor", scheduled_for: null },
  shortlink: "https://stspg.example/646947",
};
const first = {
  ...{ status: "investigating", body: "We are looking into slow uploads." },
  affected_components: [
    { code: "zvdm6f", name: "Uploads", old_status: "operational", new_status: "degraded_performance" },
  ],
};

export const examples: Example[] = [
  [
    {},
    { meta: {}, page, incident: { ...incident, incident_updates: [first] } },
    "Uploads are slow",
    `New incident: **[Uploads are slow](https://stspg.example/646947)** is investigating:\n\n${quoted("We are looking into slow uploads.")}\n\n* **Impact**: minor\n* **Page**: Partial System Outage\n* Uploads: degraded performance`,
  ],
  [
    {},
    {
      ...{ meta: {}, page: { ...page, status_description: "All Systems Operational" } },
      incident: {
        ...{ ...incident, status: "resolved" },
        incident_updates: [{ status: "resolved", body: "Uploads are fast again.", affected_components: [] }, first],
      },
    },
    "Uploads are slow",
    `The incident **[Uploads are slow](https://stspg.example/646947)** is resolved:\n\n${quoted("Uploads are fast again.")}\n\n* **Impact**: minor\n* **Page**: All Systems Operational`,
  ],
  [
    {},
    {
      ...{ meta: {}, page },
      incident: {
        ...{ ...incident, name: "Database upgrade", status: "scheduled", impact: "maintenance", incident_updates: [] },
        ...{ scheduled_for: "2026-03-01T02:00:00.000Z", scheduled_until: "2026-03-01T04:00:00.000Z" },
      },
    },
    "Database upgrade",
    "New maintenance: **[Database upgrade](https://stspg.example/646947)** is scheduled.\n\n* **From**: <time:2026-03-01T02:00:00.000Z>\n* **Until**: <time:2026-03-01T04:00:00.000Z>\n* **Page**: Partial System Outage",
  ],
  [
    {},
    {
      ...{ meta: {}, page },
      component: { id: "sqm6pl", name: "Database", status: "under_maintenance" },
      component_update: { old_status: "operational", new_status: "under_maintenance" },
    },
    "Database",
    "**Database** has changed status from **operational** to **under maintenance**.",
  ],
];
