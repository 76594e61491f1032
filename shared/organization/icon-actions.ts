import { retirePicture, type StoredPicture } from "../pictures/actions.ts";
import { commit } from "../store/log.ts";
import { updateOrganization } from "../store/organization.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { accessOrganization } from "./access.ts";
import { iconSource, organizationIcon } from "./icon.ts";

/** Gives the organization a picture, or without one its identicon back; returns the picture's address. */
export async function changeIcon(picture: StoredPicture | undefined): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const { name, iconFile: former } = await accessOrganization();
    const after = { name, ...(picture && { iconFile: picture.name }) };
    const icon_url = organizationIcon(after);
    const data = { icon_source: iconSource(after), icon_url };
    const change = picture ? { set: { iconFile: picture.name } } : { remove: ["iconFile"] };
    try {
      return await commit({ events: 1 }, () => ({
        writes: [
          updateOrganization(change, { equals: { iconFile: former } }),
          ...retirePicture(former),
          ...(picture ? [picture.taken] : []),
        ],
        events: [
          { audience: { kind: "everyone" }, event: { type: "realm", op: "update_dict", property: "icon", data } },
        ],
        result: icon_url,
      }));
    } catch (error) {
      if (!(error instanceof ConditionFailed && error.failed.includes(0)) || attempt === 5) throw error;
    }
  }
}
