import { badRequest } from "../../base/errors.ts";
import { bool, nullable, optional, string, type Values } from "../../base/schema/params.ts";
import { roles } from "../../base/schema/roles.ts";
import { checkAddress } from "../../core/users/addresses.ts";
import { freeName } from "../../core/users/names.ts";
import type { Realm } from "../../services/organization/access.ts";
import { commit } from "../../store/log/log.ts";
import { findAccount } from "../../store/users/accounts.ts";
import { findScimLink, type ScimLink } from "../../store/users/scim-links.ts";
import { findUsers, listUsers, type User } from "../../store/users/users.ts";
import { setActive } from "../users/activity.ts";
import { admitUser } from "../users/admission.ts";
import { changeEmail, findRemainingOwner, rename } from "../users/changes.ts";
import { deactivatePerson } from "../users/deactivation.ts";
import { revokeCredentials } from "../users/key-actions.ts";
import { type Assigned, assignAll, assignByOperation, booleanIn, checkedValues, operationsIn } from "./changes.ts";
import { changeLink, checkExternalIdFree, linkAfter, linkWrites } from "./links.ts";
import { scimError, scimPath, taken } from "./protocol.ts";

/** People as SCIM's users. The SCIM client acts as an owner would: the same actions, with their events, mails and notices. */

/** A person, and what the SCIM client knows of them. */
interface ScimPerson {
  user: User;
  link: ScimLink | undefined;
}

/** The attributes that are read, by their paths. */
const attributes = {
  username: optional(string({ max: 254, allowBlank: false })),
  externalid: optional(nullable(string({ max: 512, allowBlank: false }))),
  active: optional(bool()),
  displayname: optional(string({ max: 1000 })),
  "name.formatted": optional(string({ max: 1000 })),
  "name.givenname": optional(string({ max: 500 })),
  "name.familyname": optional(string({ max: 500 })),
};
type UserFields = Values<typeof attributes>;

/** What a user always has. */
const requiredPaths = ["username", "displayname", "active"];

export function userFieldsIn(body: Record<string, unknown>): UserFields {
  const assigned: Assigned = new Map();
  assignAll(assigned, body);
  return fieldsOf(assigned);
}

export function patchedUserFields(body: Record<string, unknown>): UserFields {
  const assigned: Assigned = new Map();
  for (const operation of operationsIn(body)) assignByOperation(assigned, operation);
  for (const path of requiredPaths)
    if (assigned.get(path) === null) throw scimError("mutability", `${path} cannot be removed`);
  return fieldsOf(assigned);
}

function fieldsOf(assigned: Assigned): UserFields {
  for (const [path, value] of assigned) if (value === null && path !== "externalid") assigned.delete(path);
  assigned.set("active", booleanIn(assigned.get("active")));
  return checkedValues(assigned, attributes);
}

/** The first and the last words of a full name, as SCIM has names in parts and the chat has none. */
function nameParts(fullName: string): { givenName: string; familyName: string } {
  const at = fullName.lastIndexOf(" ");
  return { givenName: at < 0 ? fullName : fullName.slice(0, at), familyName: at < 0 ? "" : fullName.slice(at + 1) };
}

/** A user's resource; `baseUrl` is the server's address. */
export function toScimUser({ user, link }: ScimPerson, baseUrl: string) {
  const { givenName, familyName } = nameParts(user.fullName);
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    id: String(user.id),
    ...(link?.externalId !== undefined && { externalId: link.externalId }),
    userName: user.email,
    displayName: user.fullName,
    name: { formatted: user.fullName, givenName, ...(familyName !== "" && { familyName }) },
    active: user.active,
    emails: [{ value: user.email, type: "work", primary: true }],
    meta: {
      resourceType: "User",
      created: new Date(user.joinedAt * 1000).toISOString(),
      location: `${baseUrl}${scimPath}/Users/${user.id}`,
    },
  };
}

/** Finding one costs 2 read units. */
export const scimUsers = {
  kind: "User",
  find: async (id: number) => (await findUsers([id]))[0],
  show: (user: User, link: ScimLink | undefined): ScimPerson | undefined => {
    const { botType, isSystemBot, active, erased } = user;
    return botType === undefined && !isSystemBot && !erased && (active || !link?.deleted) ? { user, link } : undefined;
  },
} as const;

/** By an address or external ID, 3 read units; otherwise all users are read. */
export const scimUserListing = {
  resources: scimUsers,
  list: listUsers,
  requiredName: (requiredValue: (path: string) => string | undefined) =>
    requiredValue("username") ?? requiredValue("emails.value"),
  findIdByName: async (address: string) => (await findAccount(address))?.userId,
  toResource: toScimUser,
} as const;

/** The name for a person: what is sent, the parts of it completed by their former name. */
function namesIn(fields: UserFields, formerName = ""): string[] {
  const former = nameParts(formerName);
  const { "name.givenname": givenName, "name.familyname": familyName } = fields;
  const isInParts = givenName !== undefined || familyName !== undefined;
  return [
    fields.displayname ?? "",
    fields["name.formatted"] ?? "",
    ...(isInParts ? [`${givenName ?? former.givenName} ${familyName ?? former.familyName}`] : []),
  ].filter((name) => name.trim() !== "");
}

/**
 * Creates a member with the default channels, or brings back the account of somebody whom the client has deleted, without its
 * credentials: the address may have another owner now.
 */
export async function createPerson(fields: UserFields, realm: Realm): Promise<ScimPerson> {
  if (fields.username === undefined) throw scimError("invalidValue", "userName is missing");
  const email = await checkAddress(fields.username, realm);
  const account = await findAccount(email);
  if (account) {
    const link = await findScimLink("User", account.userId);
    if (account.active || account.botType !== undefined || !link?.deleted)
      throw taken(`There is a user with the address ${email} already`);
    const [user] = await findUsers([account.userId]);
    if (!user) throw taken(`There is a user with the address ${email} already`);
    await revokeCredentials(account);
    const active = fields.active ?? true;
    return changePerson({ user: { ...user, active: false }, link }, { ...fields, active }, realm);
  }
  await checkExternalIdFree(fields);
  const fullName = await freeName([...namesIn(fields), email.slice(0, email.lastIndexOf("@"))], email, realm);
  const { user } = await admitUser(
    { email, fullName, role: roles.member, channel_ids: [], with_defaults: true, group_ids: [] },
    realm,
    ({ id }) => ({ writes: linkWrites("User", undefined, linkAfter(id, undefined, fields)), events: [] }),
  );
  return changePerson({ user, link: linkAfter(user.id, undefined, fields) }, { active: fields.active }, realm);
}

/**
 * Changes a person to the given values. Everything is checked first; then each part is a change of its own, so that repeating
 * the request completes one that was interrupted. A deactivation comes first. A reactivation comes last and with the link, so that
 * the creation of somebody who was deleted can be repeated until then.
 */
export async function changePerson({ user, link }: ScimPerson, fields: UserFields, realm: Realm): Promise<ScimPerson> {
  const email = fields.username === undefined ? user.email : await checkAddress(fields.username, realm);
  if (email.toLowerCase() !== user.email.toLowerCase() && (await findAccount(email)))
    throw taken(`There is a user with the address ${email} already`);
  await checkExternalIdFree(fields, user.id);
  const names = namesIn(fields, user.fullName);
  const fullName =
    names.length === 0 || names[0] === user.fullName ? user.fullName : await freeName(names, email, realm, user.id);
  if (fields.active === false && user.active) await deactivate(user, realm);
  if (fullName !== user.fullName) await rename(user, fullName);
  if (email !== user.email) await changeEmail(user.id, email, realm);
  const changedLink = linkAfter(user.id, link, fields);
  if (fields.active && !user.active) {
    const writes = linkWrites("User", link, changedLink);
    await commit(await setActive({ user: { ...user, email }, active: true, realm, writes }));
  } else await changeLink("User", link, changedLink);
  const [changedUser = user] = await findUsers([user.id]);
  return { user: changedUser, link: changedLink };
}

const deactivate = (user: User, realm: Realm) =>
  deactivatePerson(
    user,
    realm,
    findRemainingOwner(user, realm, () => badRequest("Cannot deactivate the only organization owner")),
  );

/** Deactivates a person, and hides them from the SCIM client. */
export async function deletePerson({ user, link }: ScimPerson, realm: Realm): Promise<void> {
  if (user.active) await deactivate(user, realm);
  await changeLink("User", link, { id: user.id, deleted: true });
}
