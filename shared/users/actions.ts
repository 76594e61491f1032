import { fleetSecret } from "../secret.ts";
import { createAccount } from "../store/accounts.ts";
import { takeIds } from "../store/counters.ts";
import { commit } from "../store/log.ts";
import { touchProfiles } from "../store/organization.ts";
import { createUser, type User } from "../store/users.ts";
import { apiKeyOf, hashOfKey, newKeySalt } from "./api-keys.ts";
import { hashPassword } from "./passwords.ts";
import type { Role } from "./roles.ts";
import { wireUser } from "./wire.ts";

export interface NewUser {
  email: string;
  fullName: string;
  role: Role;
  password?: string | undefined;
}

/** Adds a person; throws ConditionFailed when the address is taken. Returns the key, which is stored nowhere. */
export async function addUser({ email, fullName, role, password }: NewUser): Promise<{ user: User; apiKey: string }> {
  const keySalt = newKeySalt();
  const apiKey = apiKeyOf(await fleetSecret(), keySalt);
  const joinedAt = Math.floor(Date.now() / 1000);
  const [id, passwordHash] = await Promise.all([
    takeIds("user"),
    password === undefined ? undefined : hashPassword(password),
  ]);
  const user: User = {
    id,
    email,
    fullName,
    role,
    active: true,
    joinedAt,
    timezone: "",
    avatarSource: "G",
    avatarVersion: 1,
  };
  const account = { userId: id, email, keyHash: hashOfKey(apiKey), keySalt, role, active: true, joinedAt };
  return commit({ events: 1 }, () => ({
    writes: [createAccount({ ...account, ...(passwordHash && { passwordHash }) }), createUser(user), touchProfiles()],
    events: [{ audience: { kind: "everyone" }, event: { type: "realm_user", op: "add", person: wireUser(user) } }],
    result: { user, apiKey },
  }));
}
