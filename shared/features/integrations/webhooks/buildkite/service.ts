import { flag, listOf, maybe, object, type output, text } from "../../fields.ts";
import { firstLine, isBranchWanted, shortSha } from "../../git.ts";
import { handlerOf, integration, type Post, required } from "../../integration.ts";
import { isHmac, isRecent, isSame } from "../../signature.ts";
import { code, factList, link, paragraphs, plain, took, withQuote, words } from "../../text.ts";

/** https://buildkite.com/docs/apis/webhooks/pipelines */

const person = maybe(object({ name: text() }));

const payload = object({
  event: text(),
  pipeline: maybe(object({ name: text(), slug: text() })),
  build: maybe(
    object({
      ...{ web_url: text(), number: text(), state: text(), blocked: flag(), cancel_reason: text(), message: text() },
      ...{ commit: text(), branch: text(), tag: text(), creator: person, started_at: text(), finished_at: text() },
      pull_request: maybe(object({ id: text() })),
    }),
  ),
  job: maybe(
    object({
      ...{ name: text(), label: text(), step_key: text(), web_url: text(), state: text(), soft_failed: flag() },
      ...{ exit_status: text(), signal: text(), started_at: text(), finished_at: text() },
      ...{ agent: person, unblocked_by: person, triggered_build: maybe(object({ number: text(), web_url: text() })) },
    }),
  ),
  agent: maybe(
    object({
      ...{ name: text(), web_url: text(), hostname: text(), version: text(), meta_data: listOf(text()) },
      job: maybe(object({ name: text(), web_url: text() })),
    }),
  ),
  cluster_token: maybe(object({ description: text() })),
  blocked_ip: text(),
  organization: person,
  sender: person,
});
type Payload = output<typeof payload>;
type Build = NonNullable<Payload["build"]>;

type Handler = (payload: Payload) => Omit<Post, "event">;

const maxTags = 30;

/** "Build #27 of island", with a link. */
const buildLink = (build: Build, { pipeline }: Payload, noun: string): string =>
  `${link(`${noun} #${build.number}`, build.web_url)} of ${plain(pipeline?.name || pipeline?.slug || "the pipeline")}`;

const topicOf = ({ pipeline, build }: Payload): string =>
  [pipeline?.name || pipeline?.slug || "Buildkite", build?.branch].filter(Boolean).join(" / ");

function commitFacts(build: Build): [name: string, value: string][] {
  // A build that no commit was given for has HEAD until it runs.
  const sha = build.commit === "HEAD" ? "" : shortSha(build.commit);
  return [
    ["Branch", code(build.branch)],
    ["Tag", code(build.tag)],
    ["Pull request", build.pull_request?.id ? `#${plain(build.pull_request.id)}` : ""],
    ["Commit", [sha, plain(firstLine(build.message))].filter(Boolean).join(" ")],
    ["By", plain(build.creator?.name ?? "")],
  ];
}

const states: Readonly<Record<string, string>> = {
  ...{ passed: "passed", failed: "failed", blocked: "waits until somebody unblocks it", skipped: "was skipped" },
  ...{ canceled: "was canceled", not_run: "was not run", timed_out: "timed out", broken: "was not run" },
  expired: "expired before an agent took it",
};
const stateText = (state: string): string =>
  (Object.hasOwn(states, state) && states[state]) || `is ${plain(words(state)) || "finished"}`;

const onBuild =
  (verbOf: (build: Build) => string): Handler =>
  (sent) => {
    const build = required(sent.build, "build");
    const sentence = `${buildLink(build, sent, "Build")} ${verbOf(build)}`;
    const facts: [string, string][] = [...commitFacts(build), ["Took", took(build.started_at, build.finished_at)]];
    return { topic: topicOf(sent), content: paragraphs(withQuote(sentence, build.cancel_reason), factList(facts)) };
  };

const onJob =
  (verbOf: (job: NonNullable<Payload["job"]>) => string): Handler =>
  (sent) => {
    const [job, build] = [required(sent.job, "job"), required(sent.build, "build")];
    const name = link(job.name || job.label || job.step_key || "A step", job.web_url);
    const triggered = job.triggered_build;
    return {
      topic: topicOf(sent),
      content: paragraphs(
        `${name} in ${buildLink(build, sent, "build")} ${verbOf(job)}.`,
        factList([
          ["Started", triggered?.number ? link(`build #${triggered.number}`, triggered.web_url) : ""],
          ["Agent", plain(job.agent?.name ?? "")],
          ["Took", took(job.started_at, job.finished_at)],
          ...commitFacts(build),
        ]),
      ),
    };
  };

function jobEnd({ state, exit_status: status, signal, soft_failed: isSoft }: NonNullable<Payload["job"]>): string {
  const reason = signal ? `by ${code(signal)}` : status && status !== "0" ? `with exit status ${plain(status)}` : "";
  const softly = isSoft ? "which the build allows" : "";
  const ended = state === "failed" ? [stateText(state), reason].filter(Boolean).join(" ") : stateText(state);
  return [ended, softly].filter(Boolean).join(", ");
}

const onAgent =
  (verbOf: (payload: Payload) => string): Handler =>
  (sent) => {
    const agent = required(sent.agent, "agent");
    return {
      topic: "Buildkite agents",
      isTopicGeneral: true,
      content: paragraphs(
        `The agent ${link(agent.name || "without a name", agent.web_url)} ${verbOf(sent)}.`,
        factList([
          ["Host", plain(agent.hostname)],
          ["Job", link(agent.job?.name ?? "", agent.job?.web_url)],
          ["Tags", agent.meta_data.slice(0, maxTags).map(code).filter(Boolean).join(", ")],
          ["Version", plain(agent.version)],
        ]),
      ),
    };
  };

const address = ({ blocked_ip: ip }: Payload): string => (ip ? code(ip) : "its address");

const handlers: Readonly<Record<string, Handler>> = {
  ping: ({ organization, sender }) => ({
    topic: "Buildkite",
    content: `${plain(sender?.name ?? "") || "Somebody"} configured the webhook of Buildkite${organization?.name ? ` for ${plain(organization.name)}` : ""}.`,
  }),
  "build.scheduled": onBuild(() => "is scheduled"),
  "build.running": onBuild(() => "has started"),
  "build.failing": onBuild(() => "is failing"),
  "build.finished": onBuild(({ state, blocked }) => stateText(blocked ? "blocked" : state)),
  "build.skipped": onBuild(() => "was skipped"),
  "job.finished": onJob(jobEnd),
  "job.activated": onJob(({ unblocked_by: by }) => `was unblocked${by?.name ? ` by ${plain(by.name)}` : ""}`),
  "agent.connected": onAgent(() => "has connected"),
  "agent.lost": onAgent(() => "is lost: it no longer answers"),
  "agent.disconnected": onAgent(() => "has disconnected"),
  "agent.stopping": onAgent(() => "is stopping"),
  "agent.stopped": onAgent(() => "has stopped"),
  "agent.blocked": onAgent((sent) => `was blocked: its token does not allow ${address(sent)}`),
  "cluster_token.registration_blocked": (sent) => ({
    topic: "Buildkite agents",
    isTopicGeneral: true,
    content: `An agent with the token ${code(sent.cluster_token?.description ?? "") || "of a cluster"} was refused: the token does not allow ${address(sent)}.`,
  }),
};

const leavesOut = {
  "job.scheduled": "steps that wait for an agent, of which a build has many",
  "job.started": "steps that start, of which a build has many",
  "job.promised_exit_status": "steps that announce their failure, which is posted when they end",
};

export const service = integration({
  title: "Buildkite",
  logo: "buildkite",
  summary:
    "Builds that start, fail and finish, steps that finish or are unblocked, and agents that come, go and are lost.",
  setUp: [
    "Open **Settings → Notification Services**, and press **Add** beside **Webhook**.",
    "Enter a description and the URL. The **Token** can be the bot's `webhook_secret`, sent as it is or as a signature.",
    "Choose the events and the pipelines, and press **Add Webhook Notification**.",
  ],
  events: Object.keys(handlers),
  leavesOut,
  parameters: { branches: "a comma-separated list of branches: builds and steps of others are not posted" },
  payload,
  isSigned({ headers, body }, secret) {
    const signature = headers["x-buildkite-signature"];
    if (signature === undefined) return isSame(headers["x-buildkite-token"], secret);
    const { timestamp, signature: given } = Object.fromEntries(
      signature
        .split(",")
        .slice(0, 10)
        .map((part) => part.trim().split("=", 2)),
    ) as Record<string, string | undefined>;
    return isRecent(timestamp) && isHmac(given, secret, Buffer.concat([Buffer.from(`${timestamp}.`), body]));
  },
  toPost(sent, { parameter }) {
    const { event, build } = sent;
    const handler = handlerOf(event, "event", handlers, leavesOut);
    if (build && !isBranchWanted(build.branch, parameter("branches"))) return undefined;
    return handler && { ...handler(sent), event };
  },
});
