import { App, CliCredentialsStackSynthesizer } from "aws-cdk-lib";
import { fleetStacks } from "./aws/fleet-stacks.ts";
import { deploySettings } from "./aws/settings.ts";
import { bundleFleet } from "./bundle.ts";
import { loadFleet } from "./fleet.ts";

/** The CDK app, a program: `cdk` runs it. Context `root` deploys the functions of another folder (tests do). */
const app = new App();
const root: string | undefined = app.node.tryGetContext("root");
const outdir: string | undefined = app.node.tryGetContext("dist");
const fleet = await loadFleet(root);
const bundles = await bundleFleet(fleet, outdir);
// MiniStack does not evaluate a condition of the roles that `cdk bootstrap` makes for publishing; see test/deployed/run.ts.
const synthesizer = app.node.tryGetContext("cliCredentials") ? new CliCredentialsStackSynthesizer() : undefined;
fleetStacks(app, fleet, bundles, deploySettings(app.node), synthesizer && { synthesizer });
