import { isMailEnabled } from "../../base/environment.ts";
import { listDefaultStreamGroups } from "../../core/default-streams/groups.ts";
import { type Html, html } from "../../services/http/page.ts";
import { identityProviders, signInPath } from "../../services/identity/providers.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { SignUpGrant } from "./joining.ts";
import { checkboxField, emailField, type Form, nameField, passwordField, shownEmail, wayLink } from "./pages.ts";

/** Whether the user must first verify an email address through a mailed link. */
export const mustVerifyAddress = ({ email }: SignUpGrant): boolean => email === undefined && isMailEnabled();

/** The name of the checkboxes for default channel groups. A form may submit it several times. */
export const channelGroupField = "default_stream_group";

/** The ways to join by an identity provider, with the invitation or address of a link's token. */
export const providerWays = (token: string): Html[] =>
  identityProviders()
    .filter((provider) => provider.join)
    .map((provider) =>
      wayLink(`${signInPath(provider)}?invitation=${encodeURIComponent(token)}`, `Join with ${provider.name}`),
    );

/** The sign-up form, with the values last submitted and the problem with them, if any. */
export async function signUpForm(
  grant: SignUpGrant,
  realm: Realm,
  submitted: { email?: string; fullName?: string; channelGroups?: readonly string[]; problem?: string } = {},
): Promise<Form> {
  const title = `Join ${realm.name}`;
  if (mustVerifyAddress(grant))
    return {
      title,
      introduction: "You have been invited. We will send you a link that confirms your email address.",
      problem: submitted.problem,
      fields: [emailField(submitted.email)],
      button: "Send me a link",
    };
  const email: Html = grant.email === undefined ? emailField(submitted.email) : shownEmail(grant.email);
  return {
    title,
    introduction: "Choose your name and a password.",
    problem: submitted.problem,
    fields: [
      email,
      nameField(submitted.fullName),
      passwordField(grant.email === undefined ? [] : [grant.email]),
      ...(await channelGroupFields(submitted.channelGroups ?? [])),
    ],
    button: "Join",
  };
}

/** Checkboxes for the organization's default channel groups; empty if there are none. */
async function channelGroupFields(chosen: readonly string[]): Promise<Html[]> {
  const groups = await listDefaultStreamGroups();
  if (groups.length === 0) return [];
  const boxes = groups.map(({ name, description }) =>
    checkboxField(channelGroupField, name, chosen.includes(name), description),
  );
  return [html`<fieldset><legend>What are you interested in?</legend>${boxes}</fieldset>`];
}
