import { placeholderDomain } from "../../base/limits.ts";

/**
 * The domain of the addresses of new bots: the name of the server's host, from which programs build `name-bot@host`. A host without
 * a domain name, such as an IP address or `localhost`, has the placeholder domain, as all bots had once.
 */
export function botDomain(serverUrl: string): string {
  const hostname = URL.canParse(serverUrl) ? new URL(serverUrl).hostname : "";
  return isDomain(hostname) ? hostname : placeholderDomain;
}

/** Names of several labels that do not end in a number: not `localhost`, and not an IP address. */
const isDomain = (name: string) =>
  name.length <= 200 &&
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name) &&
  !name.endsWith(".localhost");

/** The other address by which a bot may sign in: at the placeholder domain instead of the server's, and the reverse. */
export function otherBotAddress(email: string, serverUrl: string): string | undefined {
  const [, name, host] = /^([^@\s]+-bot)@([^@\s]+)$/.exec(email.trim().toLowerCase()) ?? [];
  const domain = botDomain(serverUrl);
  if (!name || domain === placeholderDomain) return undefined;
  if (host === domain) return `${name}@${placeholderDomain}`;
  return host === placeholderDomain ? `${name}@${domain}` : undefined;
}
