import { accessOrganization } from "../../services/organization/access.ts";
import { type OrganizationPictureKind, organizationPictures } from "../../services/organization/pictures.ts";
import { type StoredPicture, scheduleRemoval } from "../../services/pictures/actions.ts";
import { eventForEveryone } from "../../store/log/entry.ts";
import { type Change, commit } from "../../store/log/log.ts";
import { type Organization, updateOrganization } from "../../store/organization/organization.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";

/** Sets one of the organization's images, which has been stored, and returns the changed organization. */
export const setPicture = (kind: OrganizationPictureKind, picture: StoredPicture): Promise<Organization> =>
  retryOnConflict(async () => {
    const { change, organization } = await pictureChange(kind, picture);
    await commit(change);
    return organization;
  });

/** The change that sets one of the organization's images, or without a picture removes it, and the changed organization. */
export async function pictureChange(
  kind: OrganizationPictureKind,
  picture?: StoredPicture,
): Promise<{ change: Change; organization: Organization }> {
  const { attribute, eventFields } = organizationPictures[kind];
  const { [attribute]: formerFile, ...rest } = await accessOrganization();
  const organization: Organization = { ...rest, ...(picture && { [attribute]: picture.name }) };
  const update = picture ? { set: { [attribute]: picture.name } } : { remove: [attribute] };
  const change = {
    writes: [
      updateOrganization(update, { equals: { [attribute]: formerFile } }),
      ...scheduleRemoval(formerFile),
      ...(picture?.claim.writes ?? []),
    ],
    events: [eventForEveryone({ type: "realm", op: "update_dict", ...eventFields(organization) })],
    followUps: picture?.claim.followUps ?? [],
  };
  return { change, organization };
}
