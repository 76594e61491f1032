import { createHash } from "node:crypto";

/** The organization's picture: an identicon that follows from its name. */
export const organizationIcon = (name: string) =>
  `https://secure.gravatar.com/avatar/${createHash("md5").update(name).digest("hex")}?d=identicon&version=1`;
