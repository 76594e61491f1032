import { endKeysField, type Form, passwordField, shownEmail } from "./pages.ts";
import type { Reset } from "./passwords.ts";

export const resetForm = ({ account, user }: Reset, sent: { replacesKey?: boolean; problem?: string } = {}): Form => ({
  title: "Choose a new password",
  problem: sent.problem,
  fields: [shownEmail(account.email), passwordField([account.email, user.fullName]), endKeysField(sent.replacesKey)],
  button: "Set password",
});
