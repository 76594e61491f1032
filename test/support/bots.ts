import { newBot } from "../../shared/bots/defaults.ts";
import { bumpUsersVersion } from "../../shared/store/organization/organization.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { updateAccount } from "../../shared/store/users/accounts.ts";
import { createBot } from "../../shared/store/users/bots.ts";
import { updateUser } from "../../shared/store/users/users.ts";
import { aPerson, type Person } from "./world.ts";

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
