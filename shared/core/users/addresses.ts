import { badRequest } from "../../base/errors.ts";
import { maxAddressLength, placeholderDomain } from "../../base/limits.ts";
import type { Realm } from "../../services/organization/access.ts";
import { type RealmDomain, readShortList, realmDomainsKey } from "../../store/organization/short-lists.ts";

/**
 * Checks that the organization allows an email address; returns it in stored form. Costs 1 read unit if domains are restricted.
 */
export async function checkAddress(text: string, { settings }: Realm): Promise<string> {
  const email = text.trim();
  if (email.length > maxAddressLength || !/^[^\s@<>"(),:;[\]\\\p{Cc}]{1,64}@[^\s@<>"(),:;[\]\\\p{Cc}]+$/u.test(email))
    throw badRequest("Enter a valid email address.");
  const host = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  const domains = settings.emails_restricted_to_domains ? (await readShortList(realmDomainsKey)).entries : undefined;
  if (host === placeholderDomain || (domains && !domains.some((domain) => isWithin(host, domain))))
    throw badRequest(`Email '${email}' not allowed in this organization`);
  // Whoever has one mailbox in an allowed domain could otherwise join under any number of addresses.
  if (domains && email.slice(0, email.lastIndexOf("@")).includes("+"))
    throw badRequest("Email addresses containing + are not allowed in this organization.");
  // Domains that an administrator has listed are allowed even if they are disposable.
  if (!domains && settings.disallow_disposable_email_addresses && (await isDisposable(host)))
    throw badRequest("Disposable email addresses are not allowed in this organization");
  return email;
}

const isWithin = (host: string, { domain, allowSubdomains }: RealmDomain) =>
  host === domain || (allowSubdomains && host.endsWith(`.${domain}`));

let disposableDomains: Promise<ReadonlySet<string>> | undefined;

/** Whether a domain or a parent of it gives disposable addresses. The list of 170 KB is loaded on first use, and kept as one set. */
async function isDisposable(host: string): Promise<boolean> {
  disposableDomains ??= import("disposable-email-domains-js").then(({ default: list }) =>
    list.disposableEmailBlocklistSet(),
  );
  const disposable = await disposableDomains;
  const labels = host.split(".");
  return labels.some((_, index) => disposable.has(labels.slice(index).join(".")));
}
