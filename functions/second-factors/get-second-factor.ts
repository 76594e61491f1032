import { bool, int, nullable } from "../../shared/base/schema/params.ts";
import { secondFactorOf } from "../../shared/features/users/second-factors.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/users/me/second_factor",
    summary: "Says whether the caller has a second factor, since when, and how many recovery codes are left.",
    caller: "human",
    params: {},
    returns: { is_enabled: bool(), date_enabled: nullable(int()), recovery_codes_left: int() },
    uses: { table: "read" },
  },
  async ({ caller }) => secondFactorOf(caller),
);
