import { createHash } from "node:crypto";
import { pictureAddress } from "../pictures/urls.ts";
import type { Organization } from "../store/organization.ts";

type Pictured = Pick<Organization, "name" | "iconFile">;

/** The organization's picture: the one that was uploaded, or an identicon that follows from its name. */
export const organizationIcon = ({ name, iconFile }: Pictured) =>
  iconFile === undefined
    ? `https://secure.gravatar.com/avatar/${createHash("md5").update(name).digest("hex")}?d=identicon&version=1`
    : pictureAddress(iconFile);

/** "U" uploaded, "G" made from the name. */
export const iconSource = ({ iconFile }: Pictured) => (iconFile === undefined ? "G" : "U");
