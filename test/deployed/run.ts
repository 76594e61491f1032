import { installMiniStack, logTail } from "../../infra/ministack/ministack.ts";
import { bundleOlder, endCommands } from "./cdk.ts";
import { functionErrors } from "./function-errors.ts";
import { useLocalAws } from "./local-aws.ts";
import { currentFleetTests, olderFleet } from "./older-fleet.ts";
import { destroyAndRedeploy, destroyWithData } from "./removal/destruction.ts";
import { runSuite } from "./suite.ts";
import { synthesize } from "./synthesis.ts";
import { deployCurrent, deployOlder, startTestEnvironment, type TestEnvironment } from "./test-environments.ts";
import { type Upgrade, underLoad, writeDataBeforeUpgrade } from "./upgrade.ts";

/**
 * `npm run test:deploy`: deploys an older version of the fleet into MiniStack with IAM enforced, runs a few
 * tests, upgrades the fleet while a client uses it, runs all tests, and destroys it; a new fleet with the retained table must then
 * serve the old data. This happens in two emulators in parallel, one for each of Vitest's workers. Meanwhile
 * `npm run local:aws` runs in an emulator of its own.
 * Arguments are passed on to Vitest.
 */

/** The tests that run against the older fleet before the upgrade; the whole suite runs afterwards. */
const preUpgradeTests = ["test/events/get-events.test.ts", "test/reactions/"];

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
    const inEach = <T>(name: string, work: (environment: TestEnvironment) => Promise<T>) =>
      step(name, () => Promise.all(environments.map(work)));
    const currentBundles = await step("The current fleet is bundled", () => synthesize("today"));
    const olderBundles = await step("An older fleet is bundled", () => bundleOlder(olderFleet(), currentBundles));
    await inEach("The older fleet is deployed, and its organization created", (environment) =>
      deployOlder(environment, olderBundles),
    );
    const testsBefore = args.length > 0 ? args : preUpgradeTests;
    const olderFleetOptions = [
      "--passWithNoTests",
      "--project=resources",
      ...currentFleetTests.flatMap((file) => ["--exclude", file]),
    ];
    const olderResults = await runSuite([...testsBefore, ...olderFleetOptions], "before the upgrade", environments);
    await inEach("Data is written before the upgrade", async (environment) => {
      environment.dataBefore = await writeDataBeforeUpgrade(environment.visitor);
    });
    const loads = await inEach("The fleet is upgraded", (environment) =>
      underLoad(environment.visitor, () => deployCurrent(environment, currentBundles)),
    );
    const failures = loads.flatMap(({ failures }) => failures);
    const upgrades = environments.map(
      ({ dataBefore }, index): Upgrade => ({ ...dataBefore!, requests: loads[index]?.requests ?? 0, failures }),
    );
    console.log(
      `${upgrades.reduce((sum, { requests }) => sum + requests, 0)} requests during the upgrade, ${failures.length} failed`,
    );
    const currentResults = await runSuite(args, "after the upgrade", environments, upgrades);
    const failed = [...olderResults.failed, ...currentResults.failed];
    const [first, second] = environments as [TestEnvironment, TestEnvironment];
    if (failed.length > 0) for (const environment of environments) await printErrors(environment);
    // The second takes longer than the first, after which `npm run local:aws` has its processor.
    await Promise.all([
      step("One fleet is destroyed, and another serves its data", () =>
        destroyAndRedeploy(first.name, first.miniStack, first.outputs, upgrades[0]!),
      ).then(() => step("npm run local:aws serves a fleet, and keeps its data", useLocalAws)),
      step("A second fleet is destroyed with its data", () => destroyWithData(second.miniStack, second.outputs)),
    ]);
    // Printed last, so that the failures are at the end of a long log.
    for (const failure of [...olderResults.retried, ...currentResults.retried, ...failed])
      console.error(`\n${failure}`);
    return failed.length > 0 ? 1 : 0;
  } catch (error) {
    // What runs beside the step that failed.
    endCommands();
    for (const { miniStack } of environments)
      console.error(`\nThe end of ${miniStack.logFile}:\n${logTail(miniStack)}`);
    // Printed last, as below.
    console.error(`\n${error instanceof Error ? error.message : error}`);
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
