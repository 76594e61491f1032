import { badRequest } from "../errors.ts";
import { placeholderDomain } from "../limits.ts";

/** The address of a bot, which follows from the name that its maker gives it. */
export function botAddress(shortName: string): string {
  const name = shortName.trim();
  if (!/^[A-Za-z0-9._+-]{1,60}$/.test(name)) throw badRequest("Bad name or username");
  return `${name}-bot@${placeholderDomain}`;
}
