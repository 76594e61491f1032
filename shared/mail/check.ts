import { badRequest } from "../errors.ts";
import { isMailEnabled } from "../limits.ts";

/** Throws if the deployment sends no mail; the error says what to do instead. */
export function checkMailEnabled(instead: string): void {
  if (!isMailEnabled()) throw badRequest(`This server does not send e-mail: ${instead}`);
}
