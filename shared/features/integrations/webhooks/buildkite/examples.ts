import { type Example, quoted } from "../../example.ts";

const url = "https://buildkite.com/milan/island";
const miranda = { id: "3d3c3bf0-7d58", name: "Miranda", email: "miranda@milan.example" };
const sender = { id: "8a7693f8-dbae", name: "Prospero" };
const pipeline = {
  ...{ id: "849411f9-9e6d", name: "island", slug: "island", web_url: url, default_branch: "main" },
  ...{ repository: "git@git.milan.example:milan/island.git", visibility: "private" },
};
const build = {
  ...{ id: "f62a1b4d-10f9", number: 27, web_url: `${url}/builds/27`, state: "scheduled", blocked: false },
  ...{ cancel_reason: null, message: "Calm the sea\n\nAs promised.", branch: "main", tag: null, source: "webhook" },
  ...{ commit: "bffeb74224043ba2feb48d137756c8a9331c449a", creator: miranda, pull_request: null, rebuilt_from: null },
  ...{ created_at: "2026-03-01T12:00:00.000Z", scheduled_at: "2026-03-01T12:00:00.000Z" },
  ...{ started_at: null as string | null, finished_at: null as string | null },
};
const times = { started_at: "2026-03-01T12:00:05.000Z", finished_at: "2026-03-01T12:03:07.000Z" };
const aBuild = `[Build #27](${url}/builds/27) of island`;
const facts = "* **Branch**: `main`\n* **Commit**: bffeb7422404 Calm the sea\n* **By**: Miranda";
const onMain = "island / main";

const ofBuild = (event: string, changed: object, verb: string, more = ""): Example => [
  { "x-buildkite-event": event },
  { event, build: { ...build, ...changed }, pipeline, sender },
  onMain,
  `${aBuild} ${verb}.\n\n${facts}${more}`,
];

const agent = {
  ...{ id: "0b461f65-e7be", name: "ariel-1", connection_state: "connected", hostname: "cell.milan.example" },
  ...{
    web_url: "https://buildkite.com/organizations/milan/agents/0b461f65",
    ip_address: "192.0.2.7",
    version: "3.98.0",
  },
  ...{ meta_data: ["queue=default", "os=linux"], priority: null, job: null as object | null },
};
const job = {
  ...{ id: "b63254c0-3271", type: "script", name: "Unit tests", step_key: "test", state: "passed", soft_failed: false },
  ...{ web_url: `${url}/builds/27#b63254c0`, command: "npm test", exit_status: 0, signal: null, agent, ...times },
};
const ofJob = (event: string, changed: object, verb: string, more = "", name = "Unit tests"): Example => [
  { "x-buildkite-event": event },
  { event, job: { ...job, ...changed }, build, pipeline, sender },
  onMain,
  `[${name}](${url}/builds/27#b63254c0) in [build #27](${url}/builds/27) of island ${verb}.\n\n${more}${facts}`,
];
const ran = "* **Agent**: ariel-1\n* **Took**: 3 min 2 s\n";

const tags = "* **Tags**: `queue=default`, `os=linux`\n* **Version**: 3.98.0";
const ofAgent = (event: string, verb: string, more: object = {}): Example => [
  { "x-buildkite-event": event },
  { event, agent, sender, ...more },
  "Buildkite agents",
  `The agent [ariel-1](${agent.web_url}) ${verb}.\n\n* **Host**: cell.milan.example\n${tags}`,
];

export const examples: Example[] = [
  [
    { "x-buildkite-event": "ping" },
    {
      event: "ping",
      service: { id: "49801950-1df0", provider: "webhook", settings: { url: "https://chat.milan.example/" } },
      ...{ organization: { id: "0c9b1c2a", name: "Milan", slug: "milan" }, sender },
    },
    "Buildkite",
    "Prospero configured the webhook of Buildkite for Milan.",
  ],
  ofBuild("build.scheduled", {}, "is scheduled"),
  ofBuild("build.running", { state: "running", started_at: times.started_at }, "has started"),
  ofBuild("build.failing", { state: "failing", started_at: times.started_at }, "is failing"),
  ofBuild("build.finished", { state: "passed", ...times }, "passed", "\n* **Took**: 3 min 2 s"),
  ofBuild("build.finished", { state: "failed", ...times }, "failed", "\n* **Took**: 3 min 2 s"),
  ofBuild("build.finished", { state: "passed", blocked: true }, "waits until somebody unblocks it"),
  ofBuild("build.skipped", { state: "skipped" }, "was skipped"),
  [
    { "x-buildkite-event": "build.finished" },
    {
      event: "build.finished",
      build: {
        ...{ ...build, ...times, state: "canceled", cancel_reason: "The wind has turned.", branch: "calm" },
        ...{ commit: "HEAD", message: "", pull_request: { id: "4", base: "main", repository: pipeline.repository } },
      },
      ...{ pipeline, sender },
    },
    "island / calm",
    `${aBuild} was canceled:\n\n${quoted("The wind has turned.")}\n\n* **Branch**: \`calm\`\n* **Pull request**: #4\n* **By**: Miranda\n* **Took**: 3 min 2 s`,
  ],
  ofJob("job.finished", {}, "passed", ran),
  ofJob("job.finished", { state: "failed", exit_status: 1 }, "failed with exit status 1", ran),
  ofJob(
    "job.finished",
    { state: "failed", exit_status: -1, signal: "SIGTERM", soft_failed: true },
    "failed by `SIGTERM`, which the build allows",
    ran,
  ),
  ofJob(
    "job.finished",
    {
      ...{ type: "trigger", name: "Set sail", agent: null, started_at: null, finished_at: null, async: true },
      triggered_build: { id: "01908131", number: 5, web_url: "https://buildkite.com/milan/ship/builds/5" },
    },
    "passed",
    "* **Started**: [build #5](https://buildkite.com/milan/ship/builds/5)\n",
    "Set sail",
  ),
  ofJob(
    "job.activated",
    {
      ...{ type: "manual", name: null, label: "Release", state: "unblocked", agent: null, unblocked_by: miranda },
      ...{ started_at: null, finished_at: null },
    },
    "was unblocked by Miranda",
    "",
    "Release",
  ),
  ofAgent("agent.connected", "has connected"),
  [
    { "x-buildkite-event": "agent.lost" },
    {
      event: "agent.lost",
      agent: { ...agent, connection_state: "lost", job: { name: job.name, web_url: job.web_url, state: "running" } },
      sender,
    },
    "Buildkite agents",
    `The agent [ariel-1](${agent.web_url}) is lost: it no longer answers.\n\n* **Host**: cell.milan.example\n* **Job**: [Unit tests](${job.web_url})\n${tags}`,
  ],
  ofAgent("agent.disconnected", "has disconnected"),
  ofAgent("agent.stopping", "is stopping"),
  ofAgent("agent.stopped", "has stopped"),
  ofAgent("agent.blocked", "was blocked: its token does not allow `192.0.2.7`", {
    ...{ blocked_ip: "192.0.2.7", cluster_token: { id: "b6001416", description: "Spirits" } },
  }),
  [
    { "x-buildkite-event": "cluster_token.registration_blocked" },
    {
      ...{ event: "cluster_token.registration_blocked", blocked_ip: "192.0.2.8", sender },
      cluster_token: { id: "b6001416", description: "Spirits", allowed_ip_addresses: "192.0.2.0/29" },
    },
    "Buildkite agents",
    "An agent with the token `Spirits` was refused: the token does not allow `192.0.2.8`.",
  ],
];
