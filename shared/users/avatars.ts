import { createHash } from "node:crypto";
import type { User } from "../store/users.ts";

type Pictured = Pick<User, "email" | "avatarSource" | "avatarVersion">;

/** Where a user's picture is; null when the client makes out gravatars itself and may see the address. */
export function avatarUrl(user: Pictured, clientGravatar: boolean): string | null {
  if (clientGravatar) return null;
  const hash = createHash("md5").update(user.email.toLowerCase()).digest("hex");
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon&version=${user.avatarVersion}`;
}
