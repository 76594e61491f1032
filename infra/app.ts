import { App, CliCredentialsStackSynthesizer, type StackProps } from "aws-cdk-lib";
import { BUNDLING_STACKS } from "aws-cdk-lib/cx-api";
import { fleetStacks } from "./aws/fleet-stacks.ts";
import { deploySettings } from "./aws/settings.ts";
import { bundleFleet, bundleFolders, placeholderFolders } from "./build/bundle.ts";
import { readConfigFile } from "./config-file.ts";
import { loadFleet } from "./fleet.ts";
import { withProgress } from "./progress.ts";

/**
 * The CDK app, which `cdk` runs as a program. With context `root` it deploys the functions of another folder, and with
 * `bundled` the bundles that are already in `dist`; tests use both.
 */
// A test validates the templates by the same rules, and CloudFormation validates them before it changes anything. Here it would take a
// fifth of a deployment's processor time.
const app = new App({ builtinCloudFormationValidation: false });
const settings = deploySettings(app.node, readConfigFile());
const root: string | undefined = app.node.tryGetContext("root");
const outdir: string | undefined = app.node.tryGetContext("dist");
const fleet = await loadFleet(root);
// `cdk bootstrap` and `cdk destroy` list the stacks without bundling any, so the functions' code is not built for them.
const stacksToBundle: readonly string[] = app.node.tryGetContext(BUNDLING_STACKS) ?? ["**"];
const folders = app.node.tryGetContext("bundled")
  ? bundleFolders(outdir)
  : stacksToBundle.length > 0
    ? await withProgress("Building the functions", (report) => bundleFleet(fleet, outdir, report))
    : await placeholderFolders(fleet, outdir);
// MiniStack (1.5.33) does not evaluate the condition aws:ResourceAccount of the roles that `cdk bootstrap` makes for
// publishing.
const synthesizer = settings.emulator ? new CliCredentialsStackSynthesizer() : undefined;
fleetStacks(app, fleet, folders, settings, synthesizer ? ({ synthesizer } as StackProps) : undefined);
