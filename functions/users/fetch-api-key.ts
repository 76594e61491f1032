import { int, string } from "../../shared/base/schema/params.ts";
import { accessAccountByPassword, findAccountByKey } from "../../shared/core/users/login.ts";
import { throttle } from "../../shared/core/users/throttle.ts";
import { signIn } from "../../shared/features/users/devices.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/fetch_api_key",
    summary: "Returns a user's API key in exchange for their password.",
    note: [
      "Failures are limited in three ways: per account and address (five in half an hour), per address (a hundred in a minute), and per account over all addresses from which nobody has signed in to it in the last year (a hundred in six hours). Of an IPv6 address, the first 64 bits count. The limits are checked before the password; beyond them the reply is 429. A successful login resets the count of the account and address, and a password reset resets all counts of the account. Replies to failures have `X-RateLimit-*` headers.",
      "The key is that of the device (`GET /users/me/devices`). A program other than a browser or an app of Zulip that signs in again from the same network gets the same key again, until it is signed out.",
      "The password alone is refused with `SECOND_FACTOR_REQUIRED` if the user has a second factor; its `second_factor_token` is for `POST /second_factor/fetch_api_key`. So is that of `SECOND_FACTOR_NOT_SET_UP`, which users without a second factor get from the organization's `second_factor_required_from` on; it also has the secret for their authenticator app.",
      "In place of the password, an app password (`POST /users/me/app_passwords`) is accepted, and returned as the key. It counts neither as a failure nor as a login.",
      "With `enable_login_emails` (off by default), a login on a new device sends the user an email with a link that signs it out, unless the account is less than a minute old.",
    ],
    caller: "anyone",
    params: { username: string({ max: 254 }), password: string({ max: 1000 }) },
    returns: { api_key: string(), email: string(), user_id: int() },
    errors: [
      "AUTHENTICATION_FAILED",
      "NONEXISTENT_SUBDOMAIN",
      "PASSWORD_AUTH_DISABLED",
      "REALM_DEACTIVATED",
      "SECOND_FACTOR_NOT_SET_UP",
      "SECOND_FACTOR_REQUIRED",
      "USER_DEACTIVATED",
    ],
    creates: "session",
    uses: { table: "readWrite", secret: true, sends: ["mail"], mailFrom: true },
  },
  async ({ params, request }) => {
    const realm = await loadRealm();
    const { username, password } = params;
    // Whoever has a key need not know the password: it must not forgive wrong ones, nor make a network known to the account.
    const owner = await findAccountByKey(username, password, realm);
    if (owner) return { api_key: password, email: owner.email, user_id: owner.userId };
    const account = await throttle(username, request.sourceIp, () =>
      accessAccountByPassword(username, password, realm),
    );
    const api_key = await signIn(account, request, realm);
    return { api_key, email: account.email, user_id: account.userId };
  },
);
