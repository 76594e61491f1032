import { badRequest } from "../errors.ts";
import { mailIsSent } from "../limits.ts";

/** Refuses an action that needs mail when the deployment sends none, and says what to do instead. */
export function checkMailIsSent(instead: string): void {
  if (!mailIsSent()) throw badRequest(`This server sends no e-mail: ${instead}`);
}
