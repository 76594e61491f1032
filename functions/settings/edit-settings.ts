import { endpoint } from "../../shared/http/endpoint.ts";
import { maybeQuoted, optional, type Param, string, text } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { hidePresence } from "../../shared/presence/actions.ts";
import { accessUser } from "../../shared/users/access-user.ts";
import { changeEmail, rename } from "../../shared/users/changes.ts";
import { changePassword } from "../../shared/users/key-actions.ts";
import { checkNewPassword, checkOwnEmail, checkOwnName } from "../../shared/users/own-changes.ts";
import { type UserSettings, userSettingNames, userSettingShape } from "../../shared/users/settings.ts";
import { changeSettings } from "../../shared/users/settings-actions.ts";
import { checkLocale } from "../../shared/users/settings-rules.ts";
import { settingsOf } from "../../shared/users/state.ts";

/** Clients send texts raw or JSON-quoted. */
const settingParams = Object.fromEntries(
  Object.entries<Param>(userSettingShape).map(([name, { schema, wire }]) => [
    name,
    optional(wire === "text" ? maybeQuoted({ schema, wire, required: true }) : { schema, wire, required: true }),
  ]),
) as { [K in keyof UserSettings]: ReturnType<typeof optional<UserSettings[K]>> };

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/settings",
    summary: "Changes the caller's own settings, name, e-mail address or password.",
    caller: "human",
    params: {
      ...settingParams,
      full_name: optional(text()),
      email: optional(text()),
      old_password: optional(string({ max: 1000 })),
      new_password: optional(string({ max: 1000 })),
    },
    returns: {},
    uses: { table: "readWrite", sends: ["mail"], mailFrom: true },
  },
  async ({ caller, params, request }) => {
    const [user, realm, current] = await Promise.all([accessUser(caller.id), accessRealm(), settingsOf(caller.id)]);
    const given = params as Partial<UserSettings>;
    const names = userSettingNames.filter((name) => given[name] !== undefined && given[name] !== current[name]);
    const changed: Partial<UserSettings> = Object.fromEntries(names.map((name) => [name, given[name]]));
    checkLocale(changed);
    const name = await checkOwnName(caller, user, params.full_name, realm);
    const email = await checkOwnEmail(caller, user, params.email, realm);
    const { old_password = "", new_password } = params;
    if (new_password) {
      await checkNewPassword(user, { old: old_password, new: new_password }, request.sourceIp, realm);
      await changePassword(user.email, user.id, new_password);
    }
    if (names.length > 0) await changeSettings(user, changed);
    if (changed.presence_enabled === false) await hidePresence(caller.id, realm);
    if (name !== undefined) await rename(user, name);
    if (email !== undefined) await changeEmail(user.id, email, realm);
  },
);
