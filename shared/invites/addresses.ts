import { ApiError, badRequest, invitationFailed, type NotInvited } from "../errors.ts";
import { type Caller, isAdministrator } from "../identity/caller.ts";
import { limits } from "../limits.ts";
import type { Realm } from "../organization/access.ts";
import { findAccounts } from "../store/users/accounts.ts";
import { checkAddress } from "../users/addresses.ts";

/** Somebody who has joined by themselves invites others only after so many days. */
const newcomerDays = 3;

/** Where anybody may join, who has just done so mails nobody. */
export function checkNoNewcomer(caller: Caller, { settings }: Realm): void {
  if (settings.invite_required || isAdministrator(caller)) return;
  if (caller.joinedAt > Date.now() / 1000 - newcomerDays * 86_400)
    throw invitationFailed(
      "Your account is too new to send invites for this organization. Ask an organization admin, or a more experienced user.",
      {},
    );
}

/** The addresses in a text, each once: between commas or line breaks, alone or as "Name <address>". */
export function checkAddressesIn(text: string): string[] {
  const addresses = text.split(/[,\n]/).map((part) => (/<(.*)>/.exec(part)?.[1] ?? part).trim());
  const unique = new Map(addresses.filter((address) => address !== "").map((each) => [each.toLowerCase(), each]));
  if (unique.size === 0) throw badRequest("You must specify at least one email address.");
  return [...unique.values()];
}

/** Tells whoever has invited the others that some have an account. */
export function checkNobodySkipped(skipped: NotInvited[]): void {
  if (skipped.length > 0)
    throw invitationFailed(
      "Some of those addresses have an account already, so we didn't send them an invitation. We did send invitations to everyone else!",
      { errors: skipped, sent: true },
    );
}

/**
 * Those of the addresses that can be invited, and those that have an account. One that nobody may join with, or none that
 * can be invited, refuses the whole request. 1 read unit for each.
 */
export async function checkInvitees(
  addresses: readonly string[],
  realm: Realm,
): Promise<{ invited: string[]; skipped: NotInvited[] }> {
  // Whoever names more is refused by the day's limit, without a read.
  if (addresses.length > limits.invitationsPerDay) return { invited: [...addresses], skipped: [] };
  const refused: NotInvited[] = [];
  const good: string[] = [];
  for (const address of addresses)
    try {
      good.push(await checkAddress(address, realm));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused.push([address, error.message, false]);
    }
  const accounts = await findAccounts(good);
  const skipped = good.flatMap((address, index): NotInvited[] => {
    const account = accounts[index];
    if (!account) return [];
    return [[address, account.active ? "Already has an account." : "Account has been deactivated.", !account.active]];
  });
  if (refused.length > 0)
    throw invitationFailed("Some emails did not validate, so we didn't send any invitations.", {
      errors: [...refused, ...skipped],
    });
  if (skipped.length > 0 && skipped.length === addresses.length)
    throw invitationFailed("We weren't able to invite anyone.", { errors: skipped });
  const taken = new Set(skipped.map(([address]) => address));
  return { invited: good.filter((address) => !taken.has(address)), skipped };
}
