import { randomBytes } from "node:crypto";
import type { BotType } from "../../shared/base/schema/roles.ts";
import { defaultGroupSettings } from "../../shared/core/user-groups/defaults.ts";
import { addBot } from "../../shared/features/bots/actions.ts";
import { newBot } from "../../shared/features/bots/defaults.ts";
import { createGroup, findGroupGraph, setSubgroupsInGraph } from "../../shared/store/organization/groups.ts";
import { bumpUsersVersion } from "../../shared/store/organization/organization.ts";
import { takeIds } from "../../shared/store/table/counters.ts";
import { ConditionFailed, transact } from "../../shared/store/table/transactions.ts";
import { updateAccount } from "../../shared/store/users/accounts.ts";
import { createBot } from "../../shared/store/users/bots.ts";
import { updateUser } from "../../shared/store/users/users.ts";
import { aPerson, type Person, personWithKey } from "./world.ts";

/** An e-mail address that nobody has. */
export const anAddress = (name = "someone") => `${name}-${randomBytes(5).toString("hex")}@globe.test`;

/** Creates a bot. */
export async function aBot(owner: Pick<Person, "id">, type: BotType = 1): Promise<Person> {
  const email = anAddress("robot");
  const { user, apiKey } = await addBot({
    email,
    fullName: "Robot",
    type,
    ownerId: owner.id,
    record: (id) => newBot(id, owner.id, "robot", {}),
  });
  return personWithKey(user.id, email, "Robot", apiKey);
}

/** Creates a user group with the given direct members and subgroups. */
export async function aGroup(
  people: readonly Person[],
  { subgroupIds = [], deactivated = false }: { subgroupIds?: number[]; deactivated?: boolean } = {},
): Promise<number> {
  const id = await takeIds("group");
  const group = {
    id,
    name: `group ${randomBytes(5).toString("hex")}`,
    description: "",
    createdAt: null,
    creatorId: null,
    ...(people.length > 0 && { members: new Set(people.map((person) => person.id)) }),
    subgroupIds,
    isSystem: false,
    deactivated,
    settings: defaultGroupSettings(null),
  };
  const graph = await findGroupGraph();
  const memberships = people.map(({ email }) => updateAccount(email, { add: { groupIds: new Set([id]) } }));
  const nesting = subgroupIds.length > 0 ? setSubgroupsInGraph(id, subgroupIds, graph) : [];
  try {
    await transact([...createGroup(group), ...memberships, ...nesting]);
  } catch (error) {
    // Another test changed the group graph meanwhile: try again with the new graph.
    if (!(error instanceof ConditionFailed) || nesting.length === 0) throw error;
    return aGroup(people, { subgroupIds, deactivated });
  }
  return id;
}

/** Creates an outgoing-webhook bot. */
export async function aWebhookBot(
  name: string,
  owner: Person,
  serviceUrl: string,
  { interface: kind = 1, token = "a1b2c3" }: { interface?: 1 | 2; token?: string } = {},
): Promise<Person> {
  const bot = await aPerson(name);
  await transact([
    updateUser(bot.id, { set: { botType: 3, ownerId: owner.id } }),
    updateAccount(bot.email, { set: { botType: 3 } }),
    createBot(newBot(bot.id, owner.id, name, { serviceUrl, token, interface: kind })),
    bumpUsersVersion(),
  ]);
  return bot;
}
