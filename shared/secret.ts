import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { observed } from "./aws.ts";

let client: SecretsManagerClient | undefined;
const kept = new Map<string, Promise<string>>();

/** The fleet's secret, generated at deploy; fetched once per process. */
export function fleetSecret(): Promise<string> {
  const arn = process.env.SECRET_ARN;
  if (!arn) throw new Error("The function's uses do not include the secret");
  let value = kept.get(arn);
  if (!value) {
    value = fetchSecret(arn);
    // A failure is not kept: the next request tries again.
    value.catch(() => kept.delete(arn));
    kept.set(arn, value);
  }
  return value;
}

async function fetchSecret(SecretId: string): Promise<string> {
  client ??= observed(new SecretsManagerClient({}));
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
  if (!SecretString) throw new Error("The fleet's secret is empty");
  return SecretString;
}
