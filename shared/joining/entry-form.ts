import { listDefaultStreamGroups } from "../default-streams/groups.ts";
import { type Html, html } from "../http/page.ts";
import { isMailEnabled } from "../limits.ts";
import type { Realm } from "../organization/access.ts";
import type { EntryGrant } from "./joining.ts";
import { checkboxField, emailField, type Form, nameField, passwordField, shownEmail } from "./pages.ts";

/** Whether the email address must be verified by a mail first. */
export const mustProveAddress = ({ email }: EntryGrant): boolean => email === undefined && isMailEnabled();

/** The name of the checkboxes for default channel groups. A form may submit it several times. */
export const channelGroupField = "default_stream_group";

/** The sign-up form, with values submitted before and the problem with them. */
export async function entryForm(
  entry: EntryGrant,
  realm: Realm,
  sent: { email?: string; fullName?: string; channelGroups?: readonly string[]; problem?: string } = {},
): Promise<Form> {
  const title = `Join ${realm.name}`;
  if (mustProveAddress(entry))
    return {
      title,
      words: "You have been invited. We will send you a link that confirms your e-mail address.",
      problem: sent.problem,
      fields: [emailField(sent.email)],
      button: "Send me a link",
    };
  const email: Html = entry.email === undefined ? emailField(sent.email) : shownEmail(entry.email);
  return {
    title,
    words: "Choose your name and a password.",
    problem: sent.problem,
    fields: [
      email,
      nameField(sent.fullName),
      passwordField(entry.email === undefined ? [] : [entry.email]),
      ...(await channelGroupFields(sent.channelGroups ?? [])),
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
