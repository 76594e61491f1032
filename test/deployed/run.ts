import { bootstrap, bundled, endCommands } from "./cdk.ts";
import { destroyAndReturn, destroyWithData } from "./destruction.ts";
import { functionErrors } from "./function-errors.ts";
import { installMiniStack, logTail } from "./ministack.ts";
import { notForOlder, olderFleet } from "./older-fleet.ts";
import { deployNow, deployOlder, type Stand, startStand } from "./stands.ts";
import { runSuite } from "./suite.ts";
import { type Upgrade, underLoad, writeBefore } from "./upgrade.ts";

/**
 * `npm run test:deploy`: deploys an older version of the fleet into MiniStack with IAM enforced, runs the resources' tests,
 * upgrades the fleet while it is used, runs all tests, and destroys it; a new fleet with the retained table must then serve
 * the old data. This happens in two emulators in parallel, one for each of Vitest's workers. Arguments go to Vitest.
 */
/** The tests that run against the older fleet before the upgrade; the whole suite runs afterwards. */
const everyday = ["events", "reactions"].map((resource) => `test/${resource}/`);

async function main(args: string[]): Promise<number> {
  installMiniStack();
  const stands: Stand[] = [];
  let ended = false;
  const stop = async () => {
    if (!ended) await Promise.all(stands.map((stand) => stand.stop()));
    ended = true;
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      endCommands();
      void stop().then(() => process.exit(130));
    });
  }
  try {
    await step("Two emulators are up", async () => {
      for (const name of ["Skein", "SkeinToo"]) stands.push(await startStand(name));
    });
    const each = <T>(name: string, work: (stand: Stand) => Promise<T>) =>
      step(name, () => Promise.all(stands.map(work)));
    await each("cdk bootstrap", ({ miniStack }) => bootstrap(miniStack.env));
    const former = await step("An older fleet is bundled", () => bundled("older", olderFleet()));
    await each("It is deployed, and an organization created", (stand) => deployOlder(stand, former));
    const before = args.length > 0 ? args : everyday;
    const notYet = ["--passWithNoTests", "--project=resources", ...notForOlder.flatMap((file) => ["--exclude", file])];
    const older = await runSuite([...before, ...notYet], "before the upgrade", stands);
    const present = await step("The fleet of today is bundled", () => bundled("today"));
    await each("Something is written before the upgrade", async (stand) => {
      stand.before = await writeBefore(stand.visitor);
    });
    const during = await each("The fleet is upgraded", (stand) =>
      underLoad(stand.visitor, () => deployNow(stand, present)),
    );
    const failures = during.flatMap(({ failures }) => failures);
    const upgrades = stands.map(
      ({ before }, at): Upgrade => ({ ...before!, requests: during[at]?.requests ?? 0, failures }),
    );
    console.log(`${upgrades.map(({ requests }) => requests)} requests during it, ${failures.length} not served`);
    const newer = await runSuite(args, "after the upgrade", stands, upgrades);
    const failed = [...older.failed, ...newer.failed];
    const [first, second] = stands as [Stand, Stand];
    if (failed.length > 0) for (const stand of stands) await tell(stand);
    await step("A fleet is destroyed, and another serves its data; one is destroyed with its data", () =>
      Promise.all([
        destroyAndReturn(first.name, first.miniStack, first.outputs, upgrades[0]!),
        destroyWithData(second.miniStack),
      ]),
    );
    // Printed last, so that the failures are at the end of a long log.
    for (const trouble of [...older.retried, ...newer.retried, ...failed]) console.error(`\n${trouble}`);
    return failed.length > 0 ? 1 : 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    for (const { miniStack } of stands) console.error(`\nThe end of ${miniStack.logFile}:\n${logTail(miniStack)}`);
    return 1;
  } finally {
    await stop();
  }
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  console.log(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return result;
}

async function tell({ miniStack }: Stand): Promise<void> {
  const errors = await functionErrors(miniStack);
  console.error(`\nWhat the functions of ${miniStack.logFile} logged:\n${errors.join("\n")}`);
}

process.exitCode = await main(process.argv.slice(2));
