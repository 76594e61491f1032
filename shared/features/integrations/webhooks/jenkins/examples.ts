import { type Example, quoted } from "../../example.ts";

const url = "https://jenkins.milan.example/job/island/18/";
const scm = {
  ...{ url: "https://git.milan.example/island.git", branch: "origin/main" },
  ...{ commit: "bffeb74224043ba2feb48d137756c8a9331c449a", changes: ["sea.txt"], culprits: ["miranda"] },
};
const build = {
  ...{ full_url: url, number: 18, queue_id: 42, timestamp: 1772366400000, duration: 0, phase: "STARTED" },
  ...{ url: "job/island/18/", scm, parameters: { force: "false" }, log: "", notes: "", artifacts: {} },
};
const ended = { phase: "FINALIZED", duration: 182_400 };
const job = { name: "island", display_name: "island", url: "job/island/" };
const facts = "* **Branch**: `main`\n* **Commit**: `bffeb7422404`\n* **By**: `miranda`";
const took = "* **Took**: 3 min 2 s";

const example = (changed: object, verb: string, more = ""): Example => [
  {},
  { ...job, build: { ...build, ...changed } },
  "island",
  `[Build #18](${url}) of island ${verb}.\n\n${facts}${more}`,
];

export const examples: Example[] = [
  example({ phase: "QUEUED" }, "is queued"),
  example({}, "has started"),
  example({ ...ended, phase: "COMPLETED", status: "SUCCESS" }, "succeeded", `\n${took}`),
  example(
    {
      ...{ ...ended, queue_id: 43, status: "UNSTABLE" },
      test_summary: { total: 42, failed: 1, passed: 40, skipped: 1, failed_tests: ["sea.Calm.staysCalm"] },
    },
    "is unstable",
    `\n* **Tests**: 1 of 42 tests failed, 1 skipped\n* **Failed**: \`sea.Calm.staysCalm\`\n${took}`,
  ),
  example(
    {
      ...{ ...ended, queue_id: 44, status: "SUCCESS" },
      test_summary: { total: 42, failed: 0, passed: 42, skipped: 0, failed_tests: [] },
    },
    "succeeded",
    `\n* **Tests**: 42 passed\n${took}`,
  ),
  example(
    { ...ended, queue_id: 45, status: "FAILURE", log: "npm test\nThe sea is not calm\nFinished: FAILURE\n" },
    "failed",
    `\n${took}\n\n${["````quote", "```text", "npm test", "The sea is not calm", "Finished: FAILURE", "```", "````"].join("\n")}`,
  ),
  example({ ...ended, queue_id: 46, status: "ABORTED" }, "was aborted", `\n${took}`),
  example({ ...ended, queue_id: 47, status: "NOT_BUILT" }, "was not built", `\n${took}`),
  example(
    { phase: "NONE", notes: "The sea is calm: deploy now?" },
    "is running",
    `\n\n${quoted("The sea is calm: deploy now?")}`,
  ),
  [
    {},
    {
      ...{ name: "feature%2Fcalm", display_name: "feature/calm", url: "job/milan/job/island/job/feature%252Fcalm/" },
      build: {
        ...{ number: 1, queue_id: 48, phase: "COMPLETED", status: "SUCCESS", scm: {}, log: "" },
        ...{ url: "job/milan/job/island/job/feature%252Fcalm/1/", duration: 4_000_000 },
        full_url: "https://jenkins.milan.example/job/milan/job/island/job/feature%252Fcalm/1/",
      },
    },
    "milan / island / feature/calm",
    "[Build #1](https://jenkins.milan.example/job/milan/job/island/job/feature%252Fcalm/1/) of milan / island / feature/calm succeeded.\n\n* **Took**: 1 h 6 min",
  ],
];
