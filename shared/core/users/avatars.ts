import { createHash } from "node:crypto";
import { maySeeEmail, type Viewer } from "../../services/identity/visibility.ts";
import { pictureAddress } from "../../services/pictures/urls.ts";
import type { User } from "../../store/users/users.ts";

type AvatarFields = Pick<
  User,
  "id" | "email" | "botType" | "emailVisibility" | "avatarSource" | "avatarVersion" | "avatarFile"
>;

/** The URL of a user's avatar; null when the client computes gravatars itself and `viewer` may see the address. */
export function avatarUrl(user: AvatarFields, clientGravatar: boolean, viewer?: Viewer): string | null {
  if (clientGravatar && user.avatarSource === "G" && maySeeEmail(viewer, user)) return null;
  return pictureUrl(user);
}

/** The URL of a user's avatar; "medium" is 500 pixels wide. */
export function pictureUrl(user: AvatarFields, size: "small" | "medium" = "small"): string {
  if (user.avatarFile !== undefined) return pictureAddress(user.avatarFile, size);
  const hash = createHash("md5").update(user.email.toLowerCase()).digest("hex");
  const sizeParameter = size === "medium" ? "&s=500" : "";
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon${sizeParameter}&version=${user.avatarVersion}`;
}
