import { listDefaultStreamGroups } from "../default-streams/groups.ts";
import { type Html, html } from "../http/page.ts";
import { isMailEnabled } from "../limits.ts";
import type { Realm } from "../organization/access.ts";
import type { Entry } from "./joining.ts";
import { checkField, emailField, type Form, nameField, passwordField, shownEmail } from "./pages.ts";

/** Whether whoever holds a link has yet to show that an address is theirs, which takes a mail. */
export const mustProveAddress = ({ email }: Entry): boolean => email === undefined && isMailEnabled();

/** The name of the checkboxes by which groups of channels are chosen: a form may send it several times. */
export const channelGroupField = "default_stream_group";

/** The form on which somebody joins: with what they have sent already, and what is wrong with it. */
export async function entryForm(
  entry: Entry,
  realm: Realm,
  sent: { email?: string; fullName?: string; channelGroups?: readonly string[]; problem?: string } = {},
): Promise<Form> {
  const title = `Join ${realm.name}`;
  if (mustProveAddress(entry))
    return {
      title,
      words: "You have been invited. We will send you a link, by which you show that the address is yours.",
      problem: sent.problem,
      fields: [emailField(sent.email)],
      button: "Send me a link",
    };
  const email: Html = entry.email === undefined ? emailField(sent.email) : shownEmail(entry.email);
  return {
    title,
    words: "Choose your name and a password, and you are in.",
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

/** What else than the default channels somebody may begin with; nothing where the organization has no such groups. */
async function channelGroupFields(chosen: readonly string[]): Promise<Html[]> {
  const groups = await listDefaultStreamGroups();
  if (groups.length === 0) return [];
  const boxes = groups.map(({ name, description }) =>
    checkField(channelGroupField, name, chosen.includes(name), description),
  );
  return [html`<fieldset><legend>What are you interested in?</legend>${boxes}</fieldset>`];
}
