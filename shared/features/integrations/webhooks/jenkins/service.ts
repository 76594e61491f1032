import * as z from "zod/mini";
import { truncate } from "../../../../base/schema/text.ts";
import { codeBlockOf } from "../../../../core/markdown/source/fenced.ts";
import { listOf, maybe, number, object, type output, text } from "../../fields.ts";
import { isBranchWanted, shortSha } from "../../git.ts";
import { handlerOf, integration } from "../../integration.ts";
import { code, counted, duration, enumerated, factList, link, paragraphs, plain, quote, words } from "../../text.ts";

/** https://plugins.jenkins.io/notification/ */

/** Of a log, the end counts. */
const maxLogCharacters = 500_000;

const payload = object({
  name: z.string().check(z.minLength(1)),
  ...{ display_name: text(), url: text() },
  build: object({
    phase: z.string().check(z.minLength(1)),
    ...{ number: text(), queue_id: text(), status: text(), full_url: text(), duration: number(), notes: text() },
    log: text(maxLogCharacters),
    scm: maybe(
      object({ url: text(), branch: text(), commit: text(), culprits: listOf(text()), changes: listOf(text()) }),
    ),
    test_summary: maybe(
      object({ total: number(), failed: number(), skipped: number(), passed: number(), failed_tests: listOf(text()) }),
    ),
  }),
});
type Payload = output<typeof payload>;

/** The job with the folders that it is in. Jenkins encodes a branch's name in that of its job, and the URL again. */
function jobName({ name, display_name, url }: Payload): string {
  const folders = [...url.matchAll(/(?:^|\/)job\/([^/]+)/g)].map(([, part = ""]) => decoded(decoded(part)));
  return folders.length > 1 ? folders.join(" / ") : display_name || decoded(name);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const outcomes: Readonly<Record<string, string>> = {
  ...{ SUCCESS: "succeeded", FAILURE: "failed", UNSTABLE: "is unstable", ABORTED: "was aborted" },
  NOT_BUILT: "was not built",
};

const outcome = ({ build: { status } }: Payload): string =>
  (Object.hasOwn(outcomes, status) && outcomes[status]) || `is ${plain(words(status.toLowerCase())) || "finished"}`;

const maxNames = 10;
const shown = (names: readonly string[]): string => {
  const more = names.length - maxNames;
  return enumerated([...names.slice(0, maxNames).map(code), ...(more > 0 ? [`${more} more`] : [])].filter(Boolean));
};

function testText({ build: { test_summary: tests } }: Payload): string {
  if (!tests || tests.total === 0) return "";
  const failed =
    tests.failed > 0 ? `${tests.failed} of ${counted(tests.total, "test")} failed` : `${tests.passed} passed`;
  return tests.skipped > 0 ? `${failed}, ${tests.skipped} skipped` : failed;
}

const maxLogLines = 15;
const maxLogLineCharacters = 180;

const endOfLog = (log: string): string =>
  log
    .trimEnd()
    .split("\n")
    .slice(-maxLogLines)
    .map((line) => truncate(line.trimEnd(), maxLogLineCharacters, "…"))
    .join("\n");

/** What Jenkins does, by the phase of the build. */
const verbs: Readonly<Record<string, (payload: Payload) => string>> = {
  QUEUED: () => "is queued",
  STARTED: () => "has started",
  COMPLETED: outcome,
  FINALIZED: outcome,
  // The step that pipelines have to send a notification themselves.
  NONE: (sent) => (sent.build.status ? outcome(sent) : "is running"),
};

const isEnd = (phase: string) => phase === "COMPLETED" || phase === "FINALIZED";

export const service = integration({
  title: "Jenkins",
  logo: "jenkins",
  summary: "Builds that are queued, start and end, with their result, branch, tests and the end of their log.",
  setUp: [
    "Install the plugin **Notification** in **Manage Jenkins → Plugins**.",
    "Open the job's **Configure → Job Notifications**, and press **Add Endpoint**.",
    "Keep the format **JSON** and the protocol **HTTP**, choose the event, enter the URL, and choose how many lines of the log are sent.",
  ],
  events: Object.keys(verbs),
  parameters: {
    branches: "a comma-separated list of branches: builds of others are not posted",
  },
  payload,
  // A build is completed, and again finalized after its last steps: the same end is posted once.
  deliveryId: ({ url, build: { phase, number: of, queue_id: queue, status, full_url: at } }) =>
    isEnd(phase) ? JSON.stringify([at || url, of, queue, status]) : undefined,
  toPost(sent, { parameter }) {
    const { build } = sent;
    const { scm, phase } = build;
    const verb = handlerOf(phase, "build.phase", verbs, {});
    const branch = (scm?.branch ?? "").replace(/^origin\//, "");
    if (branch && !isBranchWanted(branch, parameter("branches"))) return undefined;
    const name = jobName(sent);
    const failed = isEnd(phase) && build.status !== "SUCCESS" ? build : undefined;
    return {
      topic: name,
      content: paragraphs(
        `${link(build.number ? `Build #${build.number}` : "A build", build.full_url)} of ${plain(name)} ${verb?.(sent) ?? ""}.`,
        factList([
          ["Branch", code(branch)],
          ["Commit", code(shortSha(scm?.commit ?? ""))],
          ["By", shown(scm?.culprits ?? [])],
          ["Tests", testText(sent)],
          ["Failed", shown(build.test_summary?.failed_tests ?? [])],
          ["Took", isEnd(phase) && build.duration > 0 ? duration(build.duration / 1000) : ""],
        ]),
        quote(build.notes),
        failed?.log.trim() ? quote(codeBlockOf(endOfLog(failed.log), "text")) : "",
      ),
      event: phase,
    };
  },
});
