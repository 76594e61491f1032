import { retirePicture, type StoredPicture } from "../pictures/actions.ts";
import { commit } from "../store/log.ts";
import { type Organization, updateOrganization } from "../store/organization.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { accessOrganization } from "./access.ts";
import { organizationPictures, type PictureKind } from "./pictures.ts";

/** Gives the organization a picture, or without one takes it away; returns the organization as it then is. */
export async function changePicture(kind: PictureKind, picture: StoredPicture | undefined): Promise<Organization> {
  const { attribute, property, data } = organizationPictures[kind];
  for (let attempt = 1; ; attempt++) {
    const { [attribute]: former, ...rest } = await accessOrganization();
    const after: Organization = { ...rest, ...(picture && { [attribute]: picture.name }) };
    const change = picture ? { set: { [attribute]: picture.name } } : { remove: [attribute] };
    const event = { type: "realm", op: "update_dict", property, data: data(after) };
    try {
      await commit({ events: 1 }, () => ({
        writes: [
          updateOrganization(change, { equals: { [attribute]: former } }),
          ...retirePicture(former),
          ...(picture?.taken ?? []),
        ],
        events: [{ audience: { kind: "everyone" }, event }],
        result: undefined,
      }));
      await picture?.scale();
      return after;
    } catch (error) {
      if (!(error instanceof ConditionFailed && error.failed.includes(0)) || attempt === 5) throw error;
    }
  }
}
