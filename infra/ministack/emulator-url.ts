/** The address of the AWS emulator that AWS_ENDPOINT_URL names; undefined if the target is AWS itself. */
export function emulatorUrl(): string | undefined {
  const { AWS_ENDPOINT_URL: endpoint = "" } = process.env;
  if (!endpoint) return undefined;
  const hostname = URL.parse(endpoint)?.hostname;
  if (!hostname) throw new Error(`AWS_ENDPOINT_URL must be a URL (it is ${JSON.stringify(endpoint)})`);
  return /(^|\.)amazonaws\.com(\.cn)?$/.test(hostname) ? undefined : endpoint;
}

/** The account that emulators of AWS serve. */
export const emulatorAccount = "000000000000";

/** The credentials and the region that emulators of AWS accept. */
export const emulatorCredentials = {
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
  AWS_REGION: "us-east-1",
};

/**
 * With an emulator as the target, fills in the credentials and the region that are missing from the environment, so that
 * nobody's real credentials are looked up or sent there.
 */
export function completeEmulatorEnvironment(): void {
  if (!emulatorUrl()) return;
  const { AWS_ACCESS_KEY_ID, AWS_PROFILE, AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const { AWS_REGION: region, ...keys } = emulatorCredentials;
  if (!AWS_ACCESS_KEY_ID && !AWS_PROFILE) Object.assign(process.env, keys);
  process.env.AWS_REGION = AWS_REGION || AWS_DEFAULT_REGION || region;
  process.env.AWS_EC2_METADATA_DISABLED = "true";
}
