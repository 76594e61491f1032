import { join } from "node:path";
import { CreateSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { CreateEmailIdentityCommand, SESv2Client } from "@aws-sdk/client-sesv2";
import { environmentOf } from "../../infra/deployment.ts";
import { type MiniStack, startMiniStack } from "../../infra/ministack/ministack.ts";
import { outgoingSettings, stubDnsModule } from "../support/hosts/outgoing.ts";
import { startBouncer } from "../support/outside/bouncer-stand-in.ts";
import { clientSecret, scimToken, startIdentityProviders } from "../support/outside/identity-provider-servers.ts";
import type { Target } from "../support/target.ts";
import { createOrganization, deploy } from "./cdk.ts";
import type { Upgrade, writeDataBeforeUpgrade } from "./upgrade.ts";
import { Visitor } from "./visitor.ts";

/** An emulator with a fleet and a push bouncer, for one of Vitest's workers. */
export interface TestEnvironment {
  /** The name of the fleet's stack. */
  name: string;
  miniStack: MiniStack;
  bouncerUrl: string;
  /** The setting `SKEIN_OIDC`. */
  identityProviders: string;
  /** The setting `SKEIN_SCIM_TOKEN_ARN`. */
  scimTokenArn: string;
  /** The stack's outputs. */
  outputs: Record<string, string>;
  visitor: Visitor;
  /** The data that was written before the upgrade. */
  dataBefore?: Awaited<ReturnType<typeof writeDataBeforeUpgrade>>;
  stop: () => Promise<void>;
}

const mailFrom = "skein@globe.test";
const mailDomain = "mail.globe.test";

/** Starts an emulator and a push bouncer, and has SES verify the fleet's address, as an operator does before mail may leave. */
export async function startTestEnvironment(name: string): Promise<TestEnvironment> {
  const miniStack = await startMiniStack({
    logFile: join(import.meta.dirname, "../../.cache", `ministack-${name}.log`),
    preload: stubDnsModule,
  });
  const [bouncer, providers] = await Promise.all([startBouncer(), startIdentityProviders()]);
  const {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID = "",
    AWS_SECRET_ACCESS_KEY = "",
  } = miniStack.env;
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  const client = { ...(endpoint && { endpoint }), ...(region && { region }), credentials };
  const ses = new SESv2Client(client);
  await ses.send(new CreateEmailIdentityCommand({ EmailIdentity: mailFrom }));
  // As an operator does before people sign in by an identity provider.
  const secrets = new SecretsManagerClient(client);
  const createSecret = async (Name: string, SecretString: string) =>
    (await secrets.send(new CreateSecretCommand({ Name, SecretString }))).ARN ?? "";
  const client_secret_arn = await createSecret("identity-provider", clientSecret);
  const scimTokenArn = await createSecret("scim-token", scimToken);
  const identityProviders = providers.setting({ client_secret_arn });
  const stop = async () => {
    await Promise.all([miniStack.stop(), bouncer.stop(), providers.stop()]);
  };
  const visitor = new Visitor(miniStack, "");
  return { name, miniStack, bouncerUrl: bouncer.url, identityProviders, scimTokenArn, outputs: {}, visitor, stop };
}

const operatorEnvironment = ({ miniStack, bouncerUrl, identityProviders, scimTokenArn }: TestEnvironment) => ({
  ...miniStack.env,
  ...outgoingSettings,
  SKEIN_PUSH_BOUNCER_URL: bouncerUrl,
  SKEIN_OIDC: identityProviders,
  SKEIN_SCIM_TOKEN_ARN: scimTokenArn,
  SKEIN_MAIL_FROM: mailFrom,
  SKEIN_MAIL_DOMAIN: mailDomain,
});

/** Settings of the first deployment that the upgrade removes, which changes the environment of all functions. */
const monitoring = { alarmsTo: "operator@globe.test", dashboard: "true" };

/** Deploys the older version of the fleet, whose `functions` are bundled, and creates the organization. */
export async function deployOlder(environment: TestEnvironment, functions: Record<string, string>): Promise<void> {
  const context = { ...monitoring, ...functions, memoryMb: "256" };
  const { outputs, printed } = await deploy(environment.name, operatorEnvironment(environment), context);
  if (!printed.includes(`${environment.name} is deployed: ${outputs.Url}`))
    throw new Error(`There is no summary:\n${printed}`);
  await createOrganization(environment.name, environment.miniStack.env);
  environment.outputs = outputs;
  environment.visitor = new Visitor(environment.miniStack, outputs.ApiId ?? "");
  await environment.visitor.logIn();
}

/** Upgrades to the current version, whose `functions` are bundled. */
export async function deployCurrent(environment: TestEnvironment, functions: Record<string, string>): Promise<void> {
  environment.outputs = (await deploy(environment.name, operatorEnvironment(environment), functions)).outputs;
}

/** The facts about a fleet and its upgrade that tests get. */
export function targetOf({ miniStack, bouncerUrl, outputs }: TestEnvironment, upgrade?: Upgrade): Target {
  const names = /^(TABLE_NAME$|QUEUE_|SCHEDULE_|FUNCTION_|SECRET_ARN$|FILES_BUCKET$)/;
  const functionVariables = Object.entries(environmentOf(outputs)).filter(([name]) => names.test(name));
  return {
    kind: "deployed",
    url: miniStack.url,
    hostHeader: `${outputs.ApiId}.execute-api.localhost:${miniStack.port}`,
    bouncerUrl,
    environment: {
      ...miniStack.env,
      ...Object.fromEntries(functionVariables),
      MAIL_DOMAIN: mailDomain,
      ...(upgrade && { SKEIN_UPGRADE: JSON.stringify(upgrade) }),
    },
  };
}
