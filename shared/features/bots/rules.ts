import { badRequest } from "../../base/errors.ts";

/** The e-mail address of a bot with a short name, at the server's domain. */
export function botAddress(shortName: string, domain: string): string {
  const name = shortName.trim();
  if (!/^[A-Za-z0-9._+-]{1,60}$/.test(name)) throw badRequest("Bad name or username");
  return `${name}-bot@${domain}`;
}
