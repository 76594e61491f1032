import { fleetSecret } from "../../base/aws/secret.ts";
import { deriveLinkToken, hashLinkToken, newTokenSalt } from "../../services/identity/link-tokens.ts";
import type { Invitation } from "../../store/users/invitations.ts";

/** Invitation links. They are derived from the fleet's secret and the invitation's salt, so that they can be shown again. */

export async function newLinkAttributes(): Promise<Pick<Invitation, "tokenSalt" | "tokenHash">> {
  const tokenSalt = newTokenSalt();
  return { tokenSalt, tokenHash: hashLinkToken(await tokenOf({ tokenSalt })) };
}

const tokenOf = async ({ tokenSalt }: Pick<Invitation, "tokenSalt">) => deriveLinkToken(await fleetSecret(), tokenSalt);

/** `baseUrl` has no trailing slash. */
export const linkOf = async (invitation: Pick<Invitation, "tokenSalt">, baseUrl: string): Promise<string> =>
  joinLink(await tokenOf(invitation), baseUrl);

export const joinLink = (token: string, baseUrl: string) => `${baseUrl}/join/${token}`;
