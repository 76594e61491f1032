import { App, CliCredentialsStackSynthesizer, type StackProps } from "aws-cdk-lib";
import { BUNDLING_STACKS } from "aws-cdk-lib/cx-api";
import { fleetStacks } from "./aws/fleet-stacks.ts";
import { deploySettings } from "./aws/settings.ts";
import { bundleFleet, foldersIn, sourceFolders } from "./bundle.ts";
import { readConfigFile } from "./config-file.ts";
import { loadFleet } from "./fleet.ts";

/**
 * The CDK app, a program: `cdk` runs it. Context `root` deploys the functions of another folder, and `bundled` what lies in
 * `dist` already (tests do both).
 */
const app = new App();
const settings = deploySettings(app.node, readConfigFile());
const root: string | undefined = app.node.tryGetContext("root");
const outdir: string | undefined = app.node.tryGetContext("dist");
const fleet = await loadFleet(root);
// To prepare an account and to destroy stacks `cdk` asks which there are, and for no function's code.
const asked: readonly string[] = app.node.tryGetContext(BUNDLING_STACKS) ?? ["**"];
const folders = app.node.tryGetContext("bundled")
  ? foldersIn(outdir)
  : await (asked.length > 0 ? bundleFleet : sourceFolders)(fleet, outdir);
// MiniStack (1.5.33) does not evaluate the condition aws:ResourceAccount of the roles that `cdk bootstrap` makes for publishing.
const synthesizer = settings.miniStack ? new CliCredentialsStackSynthesizer() : undefined;
fleetStacks(app, fleet, folders, settings, synthesizer ? ({ synthesizer } as StackProps) : undefined);
