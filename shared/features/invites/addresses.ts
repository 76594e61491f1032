import { creationLimits } from "../../base/creation-limits.ts";
import { ApiError, badRequest, invitationFailed, type NotInvited } from "../../base/errors.ts";
import { secondsPerDay } from "../../base/time.ts";
import { checkAddress } from "../../core/users/addresses.ts";
import { type Caller, isAdministrator } from "../../services/identity/caller.ts";
import { countWithinMailLimit, maxMailsPerDay } from "../../services/mail/flood.ts";
import type { Realm } from "../../services/organization/access.ts";
import { findAccounts } from "../../store/users/accounts.ts";

/** Users who joined without an invitation may invite others only after this many days. */
const newcomerDays = 3;

/** Refuses recently joined users in organizations that anyone can join, so that spammers cannot use invitations. */
export function checkNotNewcomer(caller: Caller, { settings }: Realm): void {
  if (settings.invite_required || isAdministrator(caller)) return;
  if (caller.joinedAt > Date.now() / 1000 - newcomerDays * secondsPerDay)
    throw invitationFailed(
      "Your account is too new to send invites for this organization. Ask an organization admin, or a more experienced user.",
      {},
    );
}

/** Parses a list of addresses, separated by commas or line breaks, each plain or as "Name <address>". Removes duplicates. */
export function checkAddressesIn(text: string): string[] {
  const addresses = text.split(/[,\n]/).map((part) => {
    const [start, end] = [part.indexOf("<"), part.lastIndexOf(">")];
    return (start >= 0 && start < end ? part.slice(start + 1, end) : part).trim();
  });
  const uniqueAddresses = new Map(
    addresses.filter((address) => address !== "").map((each) => [each.toLowerCase(), each]),
  );
  if (uniqueAddresses.size === 0) throw badRequest("You must specify at least one email address.");
  return [...uniqueAddresses.values()];
}

/** Call after the invitations were sent: throws an error that lists the addresses to which none was, if there are any. */
export function checkNobodySkipped(skipped: NotInvited[]): void {
  if (skipped.length > 0)
    throw invitationFailed(
      skipped.some(([, reason]) => reason === invitedTooOften)
        ? "We didn't send an invitation to some of those addresses. We did send invitations to everyone else!"
        : "Some of those addresses have an account already, so we didn't send them an invitation. We did send invitations to everyone else!",
      { errors: skipped, sent: true },
    );
}

const invitedTooOften = `Has been sent ${maxMailsPerDay} invitations today.`;

/**
 * Counts the invitations to addresses, and splits them into those to invite and those that were sent too many today. Throws if
 * no invitation is left to send. Costs 1 write unit per address.
 */
export async function countInvitationsTo(
  addresses: readonly string[],
): Promise<{ invited: string[]; skipped: NotInvited[] }> {
  const isWithinLimit = await Promise.all(addresses.map((address) => countWithinMailLimit("invitation", address)));
  const skipped = addresses
    .filter((_, index) => !isWithinLimit[index])
    .map((address): NotInvited => [address, invitedTooOften, false]);
  if (skipped.length === addresses.length)
    throw invitationFailed("We weren't able to invite anyone.", { errors: skipped });
  return { invited: addresses.filter((_, index) => isWithinLimit[index]), skipped };
}

/**
 * Splits addresses into those to invite and those that have an account. Throws if any address is not allowed, or if none can
 * be invited. Costs 1 read unit per address.
 */
export async function checkInvitees(
  addresses: readonly string[],
  realm: Realm,
): Promise<{ invited: string[]; skipped: NotInvited[] }> {
  // A list this long exceeds the daily limit, which is checked later: skip the reads.
  if (addresses.length > creationLimits.invitation.perDay) return { invited: [...addresses], skipped: [] };
  const invalidAddresses: NotInvited[] = [];
  const validAddresses: string[] = [];
  for (const address of addresses)
    try {
      validAddresses.push(await checkAddress(address, realm));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      invalidAddresses.push([address, error.message, false]);
    }
  const accounts = await findAccounts(validAddresses);
  const skipped = validAddresses.flatMap((address, index): NotInvited[] => {
    const account = accounts[index];
    if (!account) return [];
    return [[address, account.active ? "Already has an account." : "Account has been deactivated.", !account.active]];
  });
  if (invalidAddresses.length > 0)
    throw invitationFailed("Some emails did not validate, so we didn't send any invitations.", {
      errors: [...invalidAddresses, ...skipped],
    });
  if (skipped.length > 0 && skipped.length === addresses.length)
    throw invitationFailed("We weren't able to invite anyone.", { errors: skipped });
  const skippedAddresses = new Set(skipped.map(([address]) => address));
  return { invited: validAddresses.filter((address) => !skippedAddresses.has(address)), skipped };
}
