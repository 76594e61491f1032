import { badRequest } from "../errors.ts";
import { isMailEnabled } from "../limits.ts";

/** Refuses an action that needs mail when the deployment sends none, and says what to do instead. */
export function checkMailEnabled(instead: string): void {
  if (!isMailEnabled()) throw badRequest(`This server sends no e-mail: ${instead}`);
}
