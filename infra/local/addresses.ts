import type { AwsEmulator } from "./aws/server.ts";
import type { Credentials } from "./aws/signature.ts";

/** The environment variables by which the AWS SDK finds the emulator in place of AWS. */
export const addressesOf = (
  emulator: Pick<AwsEmulator, "url">,
  { accessKeyId, secretAccessKey }: Credentials,
): Record<string, string> => ({
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  ...Object.fromEntries(
    ["SQS", "SCHEDULER", "S3", "SECRETS_MANAGER", "SESV2"].map((name) => [`AWS_ENDPOINT_URL_${name}`, emulator.url]),
  ),
});
