import { accessOrganization } from "../../services/organization/access.ts";
import { type OrganizationPictureKind, organizationPictures } from "../../services/organization/pictures.ts";
import { type StoredPicture, scheduleRemoval } from "../../services/pictures/actions.ts";
import { eventForEveryone } from "../../store/log/entry.ts";
import { commit } from "../../store/log/log.ts";
import { type Organization, updateOrganization } from "../../store/organization/organization.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";

/** Sets one of the organization's images, or removes it. Returns the changed organization. */
export function changePicture(
  kind: OrganizationPictureKind,
  picture: StoredPicture | undefined,
): Promise<Organization> {
  const { attribute, eventFields } = organizationPictures[kind];
  return retryOnConflict(async () => {
    const { [attribute]: formerFile, ...rest } = await accessOrganization();
    const after: Organization = { ...rest, ...(picture && { [attribute]: picture.name }) };
    const change = picture ? { set: { [attribute]: picture.name } } : { remove: [attribute] };
    await commit({
      writes: [
        updateOrganization(change, { equals: { [attribute]: formerFile } }),
        ...scheduleRemoval(formerFile),
        ...(picture?.claim.writes ?? []),
      ],
      events: [eventForEveryone({ type: "realm", op: "update_dict", ...eventFields(after) })],
      followUps: picture?.claim.followUps ?? [],
    });
    return after;
  });
}
