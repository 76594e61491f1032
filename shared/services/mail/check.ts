import { isMailEnabled } from "../../base/environment.ts";
import { badRequest } from "../../base/errors.ts";

/** Throws if the deployment sends no mail; the error ends with `advice`. */
export function checkMailEnabled(advice: string): void {
  if (!isMailEnabled()) throw badRequest(`This server does not send email: ${advice}`);
}
