import { notFound } from "../../base/errors.ts";
import { readUnsubscribeToken } from "../../services/mail/addresses.ts";
import { findUser, type User } from "../../store/users/users.ts";
import { endMissedMails } from "./actions.ts";

/** The person in whose mails the token is. Throws a 404 for any other token. */
export async function accessUnsubscriber(token: string): Promise<User> {
  const userId = await readUnsubscribeToken(token);
  const user = userId === undefined ? undefined : await findUser(userId);
  if (!user) throw notFound("This link is not valid.");
  return user;
}

/** Ends the mails about missed messages. Idempotent. */
export const unsubscribe = (user: User): Promise<void> => endMissedMails(user);
