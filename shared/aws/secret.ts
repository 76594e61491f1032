import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { ProcessCache, readOnce } from "../process-cache.ts";
import { observed } from "./observe.ts";

let client: SecretsManagerClient | undefined;
const kept = new ProcessCache<string, Promise<string>>({ max: 10 });

/** The fleet's secret, generated at deploy; fetched once per process. */
export function fleetSecret(): Promise<string> {
  const arn = process.env.SECRET_ARN;
  if (!arn) throw new Error("The function's uses do not include the secret");
  return readOnce(kept, arn, () => fetchSecret(arn));
}

async function fetchSecret(SecretId: string): Promise<string> {
  client ??= observed(new SecretsManagerClient({}));
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
  if (!SecretString) throw new Error("The fleet's secret is empty");
  return SecretString;
}
