import { expect, test } from "vitest";
import { applyGroups } from "../../shared/features/single-sign-on/groups.ts";
import { parseProviders } from "../../shared/services/identity/providers.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { findAccount } from "../../shared/store/users/accounts.ts";
import { signedInCredentials } from "../support/accounts.ts";
import { withSettings } from "../support/organization.ts";
import { aSubject, signInAs } from "../support/outside/identity-providers.ts";
import { anAddress } from "../support/people.ts";
import { aPerson, type Person } from "../support/world.ts";

/** What groups at a provider decide; which, the settings of the tests' providers say. */

const roles = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 };
const roleOf = async (person: Person) => (await person.call("GET", "/users/me")).body.role;

/** Somebody who signs in by a provider again and again, each time with other groups. */
async function atProvider(provider: string, person: Person) {
  const sub = aSubject();
  return async (claims: object, userInfo?: object) => {
    const about = { sub, email: person.email, email_verified: true, xms_edov: true };
    const lie = userInfo && { userInfo: { sub, ...userInfo } };
    signedInCredentials(await signInAs(provider, { ...about, ...claims }, lie));
    return roleOf(person);
  };
}

test("a role is given and taken away at each sign-in, by the ID token or the userinfo endpoint", async () => {
  const ariel = await aPerson("Ariel");
  const signIn = await atProvider("guild", ariel);
  const { administrator, member } = roles;

  expect(await signIn({ groups: ["others", "chat admins"] })).toBe(administrator);
  expect(await signIn({ groups: ["chat admins", "directors"] })).toBe(roles.owner);
  expect(await signIn({ groups: "chat admins" })).toBe(administrator);
  expect(await signIn({ groups: ["Chat admins", "chat admins ", 7, null, { name: "chat admins" }] })).toBe(member);
  expect(await signIn({}, { groups: ["chat admins"] })).toBe(administrator);
  // The ID token counts if both say something.
  expect(await signIn({ groups: [] }, { groups: ["chat admins"] })).toBe(member);
  expect(await signIn({}, { groups: ["chat admins"] })).toBe(administrator);
  expect(await signIn({ groups: ["others"] }, { groups: ["chat admins"], _claim_names: { groups: "src1" } })).toBe(
    member,
  );
  expect(await signIn({}, { groups: ["chat admins"] })).toBe(administrator);
  // Entra does not send more than 200.
  expect(await signIn({ _claim_names: { groups: "src1" } })).toBe(administrator);
  expect(await signIn({})).toBe(member);
});

test("a user group gets and loses its people, and other groups stay as they are", async () => {
  const [owner, ariel] = [await aPerson("Owner", { role: "owner" }), await aPerson("Ariel")];
  const signIn = await atProvider("guild", ariel);
  const groups = async (): Promise<any[]> => (await owner.do("GET", "/user_groups")).user_groups;
  const create = async (name: string, members: number[]) => {
    const known = (await groups()).find((group) => group.name === name);
    if (!known) await owner.do("POST", "/user_groups/create", { name, description: "", members });
    else if (members.length > 0) await owner.do("POST", `/user_groups/${known.id}/members`, { add: members });
  };
  const own = async () =>
    (await groups())
      .filter((group) => !group.is_system_group && group.members.includes(ariel.id))
      .map(({ name }) => name);
  // A group that is not there yet prevents nobody from signing in.
  await signIn({ groups: ["troupe", "chat admins"] });
  await create("players", []);
  await create("audience", [ariel.id]);

  await signIn({ groups: ["troupe"] });
  const joined = await own();
  await signIn({ groups: ["troupe"] });
  await Promise.all([signIn({ groups: ["others"] }), signIn({ groups: ["others"] })]);

  expect(joined.sort()).toEqual(["audience", "players"]);
  expect(await own()).toEqual(["audience"]);
});

test("an owner loses the role only where the provider has a group of owners, and the last one never", async () => {
  const [one, other] = [await aPerson("One", { role: "owner" }), await aPerson("Other", { role: "owner" })];
  const [signInOne, signInOther] = [await atProvider("twin", one), await atProvider("guild", other)];
  const realm = await loadRealm();

  expect(await signInOne({ roles: ["moderators"] })).toBe(roles.owner);
  expect(await signInOther({ groups: ["directors"] })).toBe(roles.owner);
  const [guild] = parseProviders(
    JSON.stringify([
      { name: "Guild", issuer: "https://guild.test", client_id: "x", groups: [{ name: "directors", role: "owner" }] },
    ]),
  );
  const account = await findAccount(other.email);
  const last = { ...realm, ownerIds: new Set([other.id]) };
  const kept = guild && account && (await applyGroups(guild, account, { groups: [] }, last));
  expect([kept?.role, await roleOf(other)]).toEqual([roles.owner, roles.owner]);
  expect(await signInOther({ groups: [] })).toBe(roles.member);
});

test("people who join have the role of their groups, or the provider's for people without", async () => {
  const join = async (provider: string, claims: object) => {
    const email = anAddress("ariel");
    const about = { sub: aSubject(), email, email_verified: true, xms_edov: true };
    const { apiKey } = await withSettings({ invite_required: false }, async () =>
      signedInCredentials(await signInAs(provider, { ...about, ...claims })),
    );
    expect(apiKey).toMatch(/^\w{32}$/);
    return (await findAccount(email))?.role;
  };

  expect(await join("guild", { groups: ["chat admins"] })).toBe(roles.administrator);
  expect(await join("guild", {})).toBe(roles.member);
  expect(await join("twin", { roles: ["moderators"] })).toBe(roles.moderator);
  expect(await join("twin", { groups: ["moderators"] })).toBe(roles.guest);
});

test.each([
  [{ groups: [{ name: "x" }] }, "groups[0] must have either a role or a user_group"],
  [{ groups: [{ name: "x", role: "member", user_group: "y" }] }, "groups[0] must have either"],
  [{ groups: [{ name: "x", role: "king" }] }, "groups.[0].role"],
  [{ groups_claim: "roles" }, "groups_claim is without effect"],
  [{ type: "github", groups: [{ name: "x", role: "member" }] }, "groups are not for GitHub"],
])("a list of providers with %j is refused", (fields, problem) => {
  const list = JSON.stringify([{ name: "Acme", issuer: "https://id.acme.example", client_id: "x", ...fields }]);

  expect(() => parseProviders(list)).toThrow(problem.replace(".[", "["));
});
