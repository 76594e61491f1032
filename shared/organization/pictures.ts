import { createHash } from "node:crypto";
import { pictureAddress } from "../pictures/urls.ts";
import type { LogEventOf, OmitEach } from "../schema/event-types.ts";
import type { Organization } from "../store/organization/organization.ts";

type Pictured = Pick<Organization, "name" | "iconFile" | "logoFile" | "nightLogoFile">;

/** The organization's picture ("U" uploaded), or an identicon that follows from its name ("G"). */
export const iconData = ({ name, iconFile }: Pictured) =>
  iconFile === undefined
    ? { icon_url: identicon(name), icon_source: "G" as const }
    : { icon_url: pictureAddress(iconFile), icon_source: "U" as const };

/** The organization's logo for the light or dark theme ("U": uploaded; "D": default, which shows the icon). */
export function logoData(pictured: Pictured) {
  const [logo_url, logo_source] = addressed(pictured, pictured.logoFile);
  return { logo_url, logo_source };
}

export function nightLogoData(pictured: Pictured) {
  const [night_logo_url, night_logo_source] = addressed(pictured, pictured.nightLogoFile);
  return { night_logo_url, night_logo_source };
}

const addressed = (pictured: Pictured, file: string | undefined): [url: string, source: "U" | "D"] =>
  file === undefined ? [iconData(pictured).icon_url, "D"] : [pictureAddress(file), "U"];

const identicon = (name: string) =>
  `https://secure.gravatar.com/avatar/${createHash("md5").update(name).digest("hex")}?d=identicon&version=1`;

interface Picture {
  attribute: "iconFile" | "logoFile" | "nightLogoFile";
  changed: (after: Pictured) => OmitEach<LogEventOf<"realm">, "type" | "op">;
}

/** The organization's images: the attribute that stores each file's name, and the event of a change. */
export const organizationPictures = {
  icon: { attribute: "iconFile", changed: (after: Pictured) => ({ property: "icon", data: iconData(after) }) },
  logo: { attribute: "logoFile", changed: (after: Pictured) => ({ property: "logo", data: logoData(after) }) },
  nightLogo: {
    attribute: "nightLogoFile",
    changed: (after: Pictured) => ({ property: "night_logo", data: nightLogoData(after) }),
  },
} as const satisfies Record<string, Picture>;

export type OrganizationPictureKind = keyof typeof organizationPictures;
