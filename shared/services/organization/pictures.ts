import { createHash } from "node:crypto";
import type { Organization } from "../../store/organization/organization.ts";
import { pictureAddress } from "../pictures/urls.ts";

type PictureFields = Pick<Organization, "name" | "iconFile" | "logoFile" | "nightLogoFile">;

/** The organization's picture ("U" uploaded), or an identicon that follows from its name ("G"). */
export const iconData = ({ name, iconFile }: PictureFields) =>
  iconFile === undefined
    ? { icon_url: identicon(name), icon_source: "G" as const }
    : { icon_url: pictureAddress(iconFile), icon_source: "U" as const };

/** The organization's logo for the light or dark theme ("U": uploaded; "D": default, which shows the icon). */
export function logoData(organization: PictureFields) {
  const [logo_url, logo_source] = logoAddress(organization, organization.logoFile);
  return { logo_url, logo_source };
}

export function nightLogoData(organization: PictureFields) {
  const [night_logo_url, night_logo_source] = logoAddress(organization, organization.nightLogoFile);
  return { night_logo_url, night_logo_source };
}

const logoAddress = (organization: PictureFields, file: string | undefined): [url: string, source: "U" | "D"] =>
  file === undefined ? [iconData(organization).icon_url, "D"] : [pictureAddress(file), "U"];

const identicon = (name: string) =>
  `https://secure.gravatar.com/avatar/${createHash("md5").update(name).digest("hex")}?d=identicon&version=1`;

interface Picture {
  attribute: "iconFile" | "logoFile" | "nightLogoFile";
  /** The fields of the `realm` event. */
  eventFields: (after: PictureFields) => { property: "icon" | "logo" | "night_logo"; data: object };
}

/** The organization's images: the attribute that stores each file's name, and the event of a change. */
export const organizationPictures = {
  icon: { attribute: "iconFile", eventFields: (after: PictureFields) => ({ property: "icon", data: iconData(after) }) },
  logo: { attribute: "logoFile", eventFields: (after: PictureFields) => ({ property: "logo", data: logoData(after) }) },
  nightLogo: {
    attribute: "nightLogoFile",
    eventFields: (after: PictureFields) => ({ property: "night_logo", data: nightLogoData(after) }),
  },
} as const satisfies Record<string, Picture>;

export type OrganizationPictureKind = keyof typeof organizationPictures;
