import { createHash } from "node:crypto";
import { pictureAddress } from "../pictures/urls.ts";
import type { Organization } from "../store/organization.ts";

type Pictured = Pick<Organization, "name" | "iconFile" | "logoFile" | "nightLogoFile">;

/** The organization's picture ("U" uploaded), or an identicon that follows from its name ("G"). */
export const iconData = ({ name, iconFile }: Pictured) =>
  iconFile === undefined
    ? { icon_url: identicon(name), icon_source: "G" }
    : { icon_url: pictureAddress(iconFile), icon_source: "U" };

/** The organization's logo on light or on dark ground ("U" uploaded); without one ("D"), its picture stands there. */
export function logoData(pictured: Pictured, night: boolean) {
  const file = night ? pictured.nightLogoFile : pictured.logoFile;
  const url = file === undefined ? iconData(pictured).icon_url : pictureAddress(file);
  const source = file === undefined ? "D" : "U";
  return night ? { night_logo_url: url, night_logo_source: source } : { logo_url: url, logo_source: source };
}

const identicon = (name: string) =>
  `https://secure.gravatar.com/avatar/${createHash("md5").update(name).digest("hex")}?d=identicon&version=1`;

/** The organization's pictures: which attribute names each file, and how clients are told of a change. */
export const organizationPictures = {
  icon: { attribute: "iconFile", property: "icon", data: iconData },
  logo: { attribute: "logoFile", property: "logo", data: (after: Pictured) => logoData(after, false) },
  nightLogo: { attribute: "nightLogoFile", property: "night_logo", data: (after: Pictured) => logoData(after, true) },
} as const;

export type PictureKind = keyof typeof organizationPictures;
