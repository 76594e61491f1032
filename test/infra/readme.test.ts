import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { target } from "../support/target.ts";

test("the README's bill for 50 people equals the one in docs/cost.md (else: npm run bench)", () => {
  const [row = ""] = /^\| dollars a month for 50 people.*$/m.exec(readFileSync("README.md", "utf8")) ?? [];
  const cells = /^\| 50 \|.*$/m.exec(readFileSync("docs/cost.md", "utf8"))?.[0].split(" | ") ?? [];
  const totalIndex = cells.findIndex((cell) => cell.startsWith("**"));

  const [paidDollars, allDollars] = row.match(/\$\d[\d,]*(?:\.\d+)?/g) ?? [];
  expect([`**${allDollars}**`, paidDollars]).toEqual(cells.slice(totalIndex, totalIndex + 2));
});

/** Runs the README's first session line by line. */

const session = [...readFileSync("README.md", "utf8").matchAll(/<!-- session -->\n```sh\n(.*?)```/gs)]
  .map(([, lines]) => lines)
  .join("");

test("the README's curl session prints what it shows, at its end a message that arrived at its scheduled time", async () => {
  // The host under test has another port, other users and other channels than the sample organization.
  const lines = session
    .replace("http://127.0.0.1:9991", target().url)
    .replaceAll("ada@loom.test", "viola@globe.test")
    .replaceAll("alan@loom.test", "owner@globe.test")
    .replaceAll("general", "stage")
    // On a busy machine a request may take longer than the README's three seconds, and a delivery longer than two.
    .replace("+ 3))", "+ 6))")
    .replace(
      /^sleep 5\n(.*)$/ms,
      'until reply=$($1) && [[ $reply == *"Time for tea."* ]]; do sleep 0.5; done\nprintf %s "$reply"\n',
    );

  const { stdout, stderr } = spawnSync("bash", ["-ec", lines], { encoding: "utf8", timeout: 60_000 });

  expect(stderr).toBe("");
  const replies = stdout
    .replaceAll("}{", "}\n{")
    .split("\n")
    .map((line) => JSON.parse(line));
  const [sent, scheduled, read] = replies;
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
