import { string } from "../../shared/base/schema/params.ts";
import { accessAccountByPassword } from "../../shared/core/users/login.ts";
import { throttle } from "../../shared/core/users/throttle.ts";
import { currentKey } from "../../shared/features/users/key-actions.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { checkIsNoAppPassword } from "../../shared/services/identity/sessions.ts";
import { realm } from "../../shared/services/organization/access.ts";
import { auditRecord } from "../../shared/store/organization/audit-log.ts";
import { transact } from "../../shared/store/table/transactions.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/api_key",
    summary: "Returns the caller's API key, for programs, in exchange for their password.",
    note: "The API key is not that of a device: it stays valid until a new one is created. App passwords are refused. Failures are limited as at `POST /fetch_api_key`.",
    caller: "human",
    params: { password: string({ max: 1000 }) },
    returns: { api_key: string() },
    needs: { realm },
    errors: ["AUTHENTICATION_FAILED", "PASSWORD_AUTH_DISABLED"],
    creates: "apiKey",
    uses: { table: "readWrite", secret: true },
  },
  async ({ caller, params, request, realm }) => {
    await checkIsNoAppPassword(caller);
    const account = await throttle(caller.email, request.sourceIp, () =>
      accessAccountByPassword(caller.email, params.password, realm),
    );
    await transact([auditRecord("api_key_shown", { userId: caller.id })]);
    return { api_key: await currentKey(account, caller.session) };
  },
);
