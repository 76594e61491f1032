import { App, CliCredentialsStackSynthesizer } from "aws-cdk-lib";
import { fleetStacks } from "./aws/fleet-stacks.ts";
import { deploySettings } from "./aws/settings.ts";
import { bundleFleet } from "./bundle.ts";
import { readConfigFile } from "./config-file.ts";
import { loadFleet } from "./fleet.ts";

/** The CDK app, a program: `cdk` runs it. Context `root` deploys the functions of another folder (tests do). */
const app = new App();
const settings = deploySettings(app.node, readConfigFile());
const root: string | undefined = app.node.tryGetContext("root");
const outdir: string | undefined = app.node.tryGetContext("dist");
const fleet = await loadFleet(root);
const bundles = await bundleFleet(fleet, outdir);
// MiniStack (1.5.33) does not evaluate the condition aws:ResourceAccount of the roles that `cdk bootstrap` makes for publishing.
const synthesizer = settings.miniStack ? new CliCredentialsStackSynthesizer() : undefined;
fleetStacks(app, fleet, bundles, settings, synthesizer && { synthesizer });
