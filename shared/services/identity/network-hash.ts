import { createHmac } from "node:crypto";
import { fleetSecret } from "../../base/aws/secret.ts";
import { networkOf } from "../../base/network.ts";

/**
 * What is stored of a network from which somebody has signed in: two of the same account can be compared. Keyed by the fleet's secret,
 * because somebody with a copy of the table could try all IPv4 addresses.
 */
export const hashOfNetwork = async (account: string, sourceIp: string): Promise<string> =>
  createHmac("sha256", `${await fleetSecret()} networks of sign-ins`)
    .update(`${account} ${networkOf(sourceIp)}`)
    .digest("base64url")
    .slice(0, 16);
