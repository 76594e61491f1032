import { App } from "aws-cdk-lib";
import { type DeploySettings, deploySettings } from "./aws/settings.ts";
import { cdk, contextIn } from "./cdk.ts";
import { readConfigFile } from "./config-file.ts";
import { deployedOutputs, outputsFile } from "./deployment.ts";
import { runProgram } from "./program.ts";

/** `npm run deploy`: checks the settings, deploys the fleet, and says what there is now and what comes next. Arguments go to `cdk deploy`. */
async function main(args: string[]): Promise<number> {
  const settings = deploySettings(new App({ context: contextIn(args) }).node, readConfigFile());
  const status = await cdk(["deploy", settings.name, "--outputs-file", outputsFile(), ...args]);
  if (status === 0) console.log(summary(settings, deployedOutputs(settings.name)));
  return status;
}

/** Where the fleet answers, and what the operator has yet to do. */
function summary(settings: DeploySettings, outputs: Record<string, string>): string {
  const { domain, alarmsTo, dashboard, mailFrom, pushBouncerUrl } = settings;
  const steps = [
    ...(domain && outputs.DomainTarget
      ? [`Make a CNAME record for ${domain.name} that names ${outputs.DomainTarget}; until then nobody finds it.`]
      : []),
    "Create the organization, once: npm run create-org -- --file org.json",
    `See that it answers: curl -sS ${outputs.Url}/api/v1/server_settings`,
    alarmsTo
      ? `Confirm the subscription that AWS mails to ${alarmsTo}, or alarms are not heard.`
      : "There are no alarms: set alarmsTo to an e-mail address to have them.",
    ...(dashboard ? [] : ["There is no dashboard: set dashboard to true to have one."]),
    ...(mailFrom ? [] : ["No e-mail is sent: set mailFrom once Amazon SES has verified an address or a domain."]),
    ...(pushBouncerUrl ? [] : ["There are no push notifications: set pushBouncerUrl to have them."]),
  ];
  return [
    "",
    `${settings.name} is deployed: ${outputs.Url}`,
    `  table   ${outputs.TableName}`,
    `  files   ${outputs.FilesBucket}`,
    "",
    "Next:",
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
  ].join("\n");
}

await runProgram(main);
