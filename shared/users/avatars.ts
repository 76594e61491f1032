import { createHash } from "node:crypto";
import { pictureAddress } from "../pictures/urls.ts";
import type { User } from "../store/users.ts";
import { maySeeEmail, type Viewer } from "./visibility.ts";

type Pictured = Pick<
  User,
  "id" | "email" | "botType" | "emailVisibility" | "avatarSource" | "avatarVersion" | "avatarFile"
>;

/** Where a user's picture is; null when the client makes out gravatars itself and `viewer` may see the address. */
export function avatarUrl(user: Pictured, clientGravatar: boolean, viewer?: Viewer): string | null {
  if (clientGravatar && user.avatarSource === "G" && maySeeEmail(viewer, user)) return null;
  return pictureUrl(user);
}

/** Where a user's picture is; "medium" is 500 pixels wide. */
export function pictureUrl(user: Pictured, size: "small" | "medium" = "small"): string {
  if (user.avatarFile !== undefined) return pictureAddress(user.avatarFile, size);
  const hash = createHash("md5").update(user.email.toLowerCase()).digest("hex");
  const wide = size === "medium" ? "&s=500" : "";
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon${wide}&version=${user.avatarVersion}`;
}
