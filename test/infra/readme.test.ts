import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { target } from "../support/target.ts";

const sessionIn = (page: string) =>
  [...readFileSync(page, "utf8").matchAll(/<!-- session -->\n```sh\n(.*?)```/gs)].map(([, lines]) => lines).join("");

/** The lines for the host under test, which has another port, other users and other channels than the sample organization. */
const onThisHost = (lines: string) =>
  lines
    .replace("http://127.0.0.1:9991", target().url)
    .replaceAll("ada@loom.test", "viola@globe.test")
    .replaceAll("alan@loom.test", "owner@globe.test")
    .replaceAll("general", "stage");

function run(lines: string) {
  const { stdout, stderr } = spawnSync("bash", ["-ec", lines], { encoding: "utf8", timeout: 60_000 });
  expect(stderr).toBe("");
  return stdout
    .replaceAll("}{", "}\n{")
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("README and docs/clients.md show the IDs of the first messages after those of the sample organization", () => {
  const { conversations } = JSON.parse(readFileSync("organization.sample.json", "utf8"));
  const count = conversations.flatMap(({ messages }: { messages: unknown[] }) => messages).length;
  const shownIn = (page: string) =>
    [...readFileSync(page, "utf8").matchAll(/"msg":"","id":(\d+)/g)].map(([, id]) => Number(id));

  expect([...shownIn("README.md"), ...shownIn("docs/clients.md")]).toEqual([count + 1, count + 1]);
});

test("the README's curl session sends a message", () => {
  expect(run(onThisHost(sessionIn("README.md")))).toEqual([
    { result: "success", msg: "", id: expect.any(Number), automatic_new_visibility_policy: 3 },
  ]);
});

test("the curl session of docs/clients.md prints what it shows, at its end a message that arrived at its scheduled time", async () => {
  const lines = onThisHost(sessionIn("docs/clients.md"))
    // On a busy machine a request may take longer than the session's three seconds, and a delivery longer than two.
    .replace("+ 3))", "+ 6))")
    .replace(
      /^sleep 5\n(.*)$/ms,
      'until reply=$($1) && [[ $reply == *"Time for tea."* ]]; do sleep 0.5; done\nprintf %s "$reply"\n',
    );

  const [sent, scheduled, read] = run(lines);
  expect(sent).toEqual({
    result: "success",
    msg: "",
    id: expect.any(Number),
    automatic_new_visibility_policy: 3,
  });
  expect(scheduled).toEqual({ result: "success", msg: "", scheduled_message_id: expect.any(Number) });
  expect(read.messages.slice(-2)).toMatchObject([{ content: "Who has the shuttle?" }, { content: "Time for tea." }]);
  const [first, second] = read.messages.slice(-2);
  expect(second.timestamp - first.timestamp).toBeGreaterThanOrEqual(5);
});
