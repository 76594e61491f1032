import { bootstrap, bundleForDeploy, endCommands } from "./cdk.ts";
import { destroyAndRedeploy, destroyWithData } from "./destruction.ts";
import { functionErrors } from "./function-errors.ts";
import { installMiniStack, logTail } from "./ministack.ts";
import { notForOlder, olderFleet } from "./older-fleet.ts";
import { runSuite } from "./suite.ts";
import { deployNow, deployOlder, startTestEnvironment, type TestEnvironment } from "./test-environments.ts";
import { type Upgrade, underLoad, writeBefore } from "./upgrade.ts";

/**
 * `npm run test:deploy`: deploys an older version of the fleet into MiniStack with IAM enforced, runs the resources' tests,
 * upgrades the fleet while it is used, runs all tests, and destroys it; a new fleet with the retained table must then serve
 * the old data. This happens in two emulators in parallel, one for each of Vitest's workers. Arguments are passed on to
 * Vitest.
 */

/** The tests that run against the older fleet before the upgrade; the whole suite runs afterwards. */
const everyday = ["events", "reactions"].map((resource) => `test/${resource}/`);

async function main(args: string[]): Promise<number> {
  installMiniStack();
  const environments: TestEnvironment[] = [];
  let ended = false;
  const stop = async () => {
    if (!ended) await Promise.all(environments.map((environment) => environment.stop()));
    ended = true;
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      endCommands();
      void stop().then(() => process.exit(130));
    });
  }
  try {
    await step("Two emulators are running", async () => {
      for (const name of ["Skein", "SkeinToo"]) environments.push(await startTestEnvironment(name));
    });
    const each = <T>(name: string, work: (environment: TestEnvironment) => Promise<T>) =>
      step(name, () => Promise.all(environments.map(work)));
    await each("cdk bootstrap", ({ miniStack }) => bootstrap(miniStack.env));
    const former = await step("An older fleet is bundled", () => bundleForDeploy("older", olderFleet()));
    await each("It is deployed, and an organization created", (environment) => deployOlder(environment, former));
    const before = args.length > 0 ? args : everyday;
    const notYet = ["--passWithNoTests", "--project=resources", ...notForOlder.flatMap((file) => ["--exclude", file])];
    const older = await runSuite([...before, ...notYet], "before the upgrade", environments);
    const present = await step("The current fleet is bundled", () => bundleForDeploy("today"));
    await each("Data is written before the upgrade", async (environment) => {
      environment.before = await writeBefore(environment.visitor);
    });
    const during = await each("The fleet is upgraded", (environment) =>
      underLoad(environment.visitor, () => deployNow(environment, present)),
    );
    const failures = during.flatMap(({ failures }) => failures);
    const upgrades = environments.map(
      ({ before }, index): Upgrade => ({ ...before!, requests: during[index]?.requests ?? 0, failures }),
    );
    console.log(`${upgrades.map(({ requests }) => requests)} requests during the upgrade, ${failures.length} failed`);
    const newer = await runSuite(args, "after the upgrade", environments, upgrades);
    const failed = [...older.failed, ...newer.failed];
    const [first, second] = environments as [TestEnvironment, TestEnvironment];
    if (failed.length > 0) for (const environment of environments) await printErrors(environment);
    await step("A fleet is destroyed, and another serves its data; one is destroyed with its data", () =>
      Promise.all([
        destroyAndRedeploy(first.name, first.miniStack, first.outputs, upgrades[0]!),
        destroyWithData(second.miniStack),
      ]),
    );
    // Printed last, so that the failures are at the end of a long log.
    for (const failure of [...older.retried, ...newer.retried, ...failed]) console.error(`\n${failure}`);
    return failed.length > 0 ? 1 : 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    for (const { miniStack } of environments)
      console.error(`\nThe end of ${miniStack.logFile}:\n${logTail(miniStack)}`);
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

async function printErrors({ miniStack }: TestEnvironment): Promise<void> {
  const errors = await functionErrors(miniStack);
  console.error(`\nErrors that the functions of ${miniStack.logFile} logged:\n${errors.join("\n")}`);
}

process.exitCode = await main(process.argv.slice(2));
