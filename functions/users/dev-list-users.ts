import { list, strictObject, string } from "../../shared/base/schema/params.ts";
import { roles } from "../../shared/base/schema/roles.ts";
import { checkDevelopmentServer } from "../../shared/core/users/login.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { listUsers } from "../../shared/store/users/users.ts";

const account = strictObject({ email: string(), full_name: string(), realm_url: string() });

/** Enough for a development server, and keeps the reply small. */
const maxAccounts = 200;

export const handler = endpoint(
  {
    method: "GET",
    path: "/dev_list_users",
    summary: "Lists the users who can log in without a password. Only on development servers.",
    caller: "anyone",
    params: {},
    returns: { direct_admins: list(account), direct_users: list(account) },
    errors: ["BAD_REQUEST"],
    uses: { table: "read" },
  },
  async ({ request }) => {
    checkDevelopmentServer(request.headers);
    const people = (await listUsers())
      .filter((user) => user.active && user.botType === undefined && !user.isSystemBot)
      .slice(0, maxAccounts);
    const entries = people.map(({ email, fullName, role }) => ({
      role,
      account: { email, full_name: fullName, realm_url: request.baseUrl },
    }));
    return {
      direct_admins: entries.filter(({ role }) => role <= roles.administrator).map((entry) => entry.account),
      direct_users: entries.filter(({ role }) => role > roles.administrator).map((entry) => entry.account),
    };
  },
);
