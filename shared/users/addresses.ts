import { badRequest } from "../errors.ts";
import type { Realm } from "../organization/access.ts";
import { placeholderDomain } from "../settings.ts";

/** An e-mail address as it will be stored, if it is one and the organization takes it. */
export function checkAddress(given: string, { settings }: Realm): string {
  const email = given.trim();
  if (email.length > 254 || !/^[^\s@<>"(),:;[\]\\\p{Cc}]{1,64}@[^\s@<>"(),:;[\]\\\p{Cc}]+$/u.test(email))
    throw badRequest("Enter a valid email address.");
  // No domain is on the organization's list, so that the restriction admits nobody.
  if (settings.emails_restricted_to_domains || email.toLowerCase().endsWith(`@${placeholderDomain}`))
    throw badRequest(`Email '${email}' not allowed in this organization`);
  return email;
}
