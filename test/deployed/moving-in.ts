import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MiniStack } from "../../infra/ministack/ministack.ts";
import { aFolder } from "../infra/import/slack-archive.ts";
import { theTempest } from "../infra/import/zulip-archive.ts";
import { outputsOf, run } from "./cdk.ts";
import { check } from "./check.ts";
import { Visitor } from "./visitor.ts";

const login = { username: "prospero@milan.example", password: "a-book-drowned-deep" };

/**
 * Runs `npm run import` for the fleet `name`, which has no organization yet; then the owner chooses a password by the printed link,
 * signs in and reads. Throws if something is wrong.
 */
export async function moveIn(name: string, miniStack: MiniStack, { ApiId = "" }: Record<string, string>) {
  const archive = aFolder(theTempest(readFileSync(join(import.meta.dirname, "../support/globe.png"))));
  const env = { ...miniStack.env, SKEIN_DEPLOYMENT: outputsOf(name), SKEIN_DATA: undefined };
  const runImport = (...args: string[]) => run("infra/import/import.ts", ["--from", archive, ...args], env);
  const report = await runImport("--dry-run");
  check(report.endsWith("Nothing has been written.\n"), `The dry run says something else:\n${report}`);

  const printed = await runImport();

  check(/1 {2}files that were fetched/.test(printed), `The archive's file did not come:\n${printed}`);
  const [, path] = /Milan has been imported\. .* chooses a password at https?:\/\/[^/]+(\/\S+)/.exec(printed) ?? [];
  check(path !== undefined, `There is no link to choose a password:\n${printed}`);
  const visitor = new Visitor(miniStack, ApiId, login);
  const chosen = await visitor.call("POST", path ?? "", { password: login.password });
  check(chosen.status === 200, `The link is of no use: ${chosen.status} ${chosen.text}`);
  await visitor.logIn();
  const everything = { anchor: "newest", num_before: "100", num_after: "0", apply_markdown: "false" };
  const { body, text } = await visitor.call("GET", "/api/v1/messages", everything);
  check(body.messages?.length === 8, `Not all messages can be read: ${text}`);
  const again = await runImport().catch(String);
  check(again.includes("There is an organization already"), `The archive is imported twice: ${again}`);
}
