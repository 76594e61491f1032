import type { Organization } from "../../../store/organization/organization.ts";
import { pictureNameFor } from "../names.ts";
import type { PlannedPicture } from "../plan.ts";
import { readRecords, type ZulipExport } from "./format.ts";
import type { ZulipPeople } from "./people.ts";

/** A picture, and where it is in the archive. */
export type PictureInArchive = Omit<PlannedPicture, "content"> & { path: string };

const organizationPictureFiles: Record<string, "iconFile" | "logoFile" | "nightLogoFile"> = {
  ...{ icon: "iconFile", logo: "logoFile", night_logo: "nightLogoFile" },
};

/**
 * The pictures of people and of the organization, whose names these get. Those that were uploaded are taken, from which all sizes
 * are made.
 */
export function picturesOf(
  archive: ZulipExport,
  people: ZulipPeople,
  organization: Partial<Organization>,
  secret: string,
): PictureInArchive[] {
  const pictures: PictureInArchive[] = [];
  const originals = (kind: "avatars" | "realm_icons") => {
    const records = readRecords(archive.folder, kind);
    return records.sort((a, b) => Number(b.path.endsWith(".original")) - Number(a.path.endsWith(".original")));
  };
  const uploaded = new Set(
    archive.tables.zerver_userprofile.flatMap(({ id, avatar_source }) => (avatar_source === "U" ? id : [])),
  );
  for (const { path, user_profile_id = 0 } of originals("avatars")) {
    const member = uploaded.has(user_profile_id) ? people.find(user_profile_id) : undefined;
    if (!member || member.profile?.avatarFile !== undefined) continue;
    const name = pictureNameFor(`avatar ${path}`, secret);
    people.addProfile(member.id, { avatarSource: "U", avatarFile: name });
    const forget = () => {
      const { avatarFile: _, ...rest } = member.profile ?? {};
      member.profile = { ...rest, avatarSource: "G" };
    };
    pictures.push({ kind: "avatar", name, path: `avatars/${path}`, forget });
  }
  for (const { path } of originals("realm_icons")) {
    const [, file = ""] = /(?:^|\/)(icon|logo|night_logo)\.(?:original|png)$/.exec(path) ?? [];
    const attribute = organizationPictureFiles[file];
    const isUploaded = archive.realm[`${file}_source`] === "U";
    if (!attribute || !isUploaded || organization[attribute] !== undefined) continue;
    const name = pictureNameFor(`organization ${path}`, secret);
    organization[attribute] = name;
    const forget = () => delete organization[attribute];
    pictures.push({ kind: file === "icon" ? "icon" : "logo", name, path: `realm_icons/${path}`, forget });
  }
  return pictures;
}
