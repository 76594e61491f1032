import { createHash } from "node:crypto";
import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fleetSecret } from "../../shared/base/aws/secret.ts";
import { serverUrl } from "../../shared/base/environment.ts";
import { nowSeconds } from "../../shared/base/time.ts";
import type { Member } from "../../shared/features/bootstrap/members.ts";
import { ArchiveError, fingerprintOf, openArchive } from "../../shared/features/import/archive.ts";
import { forgetFinished, giveUpImport } from "../../shared/features/import/give-up.ts";
import { kindOf, nameInFileName, planArchive } from "../../shared/features/import/kinds.ts";
import { type ImportPlan, isReachableOwner } from "../../shared/features/import/plan.ts";
import { rehearseImport } from "../../shared/features/import/rehearse.ts";
import { waitOutThrottling } from "../../shared/features/import/throttling.ts";
import { findProgress, writeImport } from "../../shared/features/import/write.ts";
import type { ReplacedOrganization, ReplacedOwner } from "../../shared/store/organization/import.ts";
import { fleetOption } from "../deployment.ts";
import { runProgram } from "../program.ts";
import { withProgress } from "../progress.ts";
import { hasTarget, openTarget, type Target } from "./target.ts";

/**
 * `npm run import -- --from archive [--dry-run]`, or `--give-up`: makes an organization from another chat's export, a new one or in place of one
 * that nobody has used. It is a process of the operator and not a job of functions, because it needs the archive, reads it in the
 * order of its days, and writes the table in batches, as `restore-table` does, on both hosts alike.
 */
async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      ...{ from: { type: "string" }, name: { type: "string" }, owner: { type: "string" }, url: { type: "string" } },
      ...fleetOption,
      ...{ "dry-run": { type: "boolean", default: false }, "without-files": { type: "boolean", default: false } },
      ...{ "send-reset-links": { type: "boolean", default: false }, "give-up": { type: "boolean", default: false } },
    },
  });
  if (values["give-up"]) return giveUp();
  if (!values.from) throw new Error("Specify the archive: npm run import -- --from archive.zip");
  // What was unpacked is removed when the process exits, which a signal alone does not make it do.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));
  const archive = await openArchive(resolve(values.from));
  try {
    const kind = kindOf(archive);
    const given = {
      ...{ ownerEmail: values.owner, oldUrl: values.url, withFiles: !values["without-files"] },
      slackToken: process.env.SLACK_TOKEN || undefined,
    };
    const planWith = (options: Omit<Parameters<typeof planArchive>[1], keyof typeof given>): Promise<ImportPlan> =>
      planArchive(archive, { ...options, ...given });
    const rehearse = async (options: { secret: string; now: number; owner?: ReplacedOwner | undefined }) => {
      const plan = await planWith({ ...options, isRehearsal: true });
      checkName(nameOf(plan));
      await withProgress("Checking", (report) => rehearseImport(plan, nameOf(plan), report));
      return plan;
    };
    const resetLinksTo = values["send-reset-links"] ? serverUrl() : undefined;
    if (resetLinksTo === "") throw new Error("Set SKEIN_URL to the address that the emailed links lead to");
    const givenName = (values.name ?? nameInFileName(basename(values.from))).trim();
    const nameOf = ({ organization }: ImportPlan) => givenName || organization.name || "";
    if (kind === "Slack") checkName(givenName);
    const fingerprint = createHash("sha256")
      .update(
        JSON.stringify([
          ...[fingerprintOf(archive.folder), givenName, values.owner, !values["without-files"]],
          ...(values.url === undefined ? [] : [values.url]),
        ]),
      )
      .digest("hex");
    if (values["dry-run"]) {
      const { replaces, refusal, unknown } = await lookAhead(fingerprint);
      const plan = await rehearse({ secret: "", now: nowSeconds(), owner: replaces?.owner });
      console.log(`${plan.report}\nNothing has been written.`);
      if (refusal) throw refusal;
      if (unknown !== undefined)
        console.log(`It is not known whether the import would replace an organization in the deployment. ${unknown}`);
      if (replaces)
        console.log(
          `The organization ${replaces.organization.name} is replaced, with its settings and pictures. ${replaces.owner.email} stays an owner.`,
        );
      return 0;
    }
    const target = await openTarget(process.env.SKEIN_DATA);
    waitOutThrottling();
    try {
      await forgetFinished();
      const progress = await findProgress(fingerprint);
      const options = { secret: await fleetSecret(), now: progress.startedAt, owner: progress.replaces?.owner };
      // One that has begun was rehearsed before.
      if (progress.run === undefined) await rehearse(options);
      const plan = await planWith({ ...options, isRehearsal: false });
      const name = nameOf(plan);
      checkName(name);
      const { settleMs } = target;
      await withProgress("Importing", (report) =>
        writeImport(plan, name, progress, { report, resetLinksTo, settleMs }),
      );
      console.log(
        `${plan.report}\n${name} has been imported. ${await target.whatNext(plan.members.find(isReachableOwner) as Member)}`,
      );
      return 0;
    } finally {
      await target.close();
    }
  } finally {
    archive.close();
  }
}

async function giveUp(): Promise<number> {
  if (!hasTarget(process.env.SKEIN_DATA))
    throw new Error("No import has begun here: there is no table in the data folder, or no deployment");
  const target = await openTarget(process.env.SKEIN_DATA);
  waitOutThrottling();
  try {
    await giveUpImport(target.settleMs);
  } finally {
    await target.close();
  }
  console.log("The import has been given up: everything is as it was before.");
  return 0;
}

interface Outlook {
  replaces?: ReplacedOrganization;
  /** Why the import would be refused. */
  refusal?: unknown;
  /** Why neither is known: what is deployed cannot be read from here, which the report does not need. */
  unknown?: string;
}

/** What an import would meet; nothing where there is no organization, or nothing is deployed. */
async function lookAhead(fingerprint: string): Promise<Outlook> {
  if (!hasTarget(process.env.SKEIN_DATA)) return {};
  let target: Target | undefined;
  try {
    target = await openTarget(process.env.SKEIN_DATA);
    const { replaces } = await findProgress(fingerprint);
    return replaces ? { replaces } : {};
  } catch (error) {
    const isRefusal = process.env.SKEIN_DATA !== undefined || error instanceof ArchiveError;
    return isRefusal ? { refusal: error } : { unknown: (error as Error).message };
  } finally {
    await target?.close();
  }
}

function checkName(name: string): void {
  if (name === "" || [...name].length > 100) throw new Error("Specify the organization's name: --name Acme");
}

await runProgram(main);
