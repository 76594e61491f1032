import { badRequest } from "../errors.ts";
import { lengthOf } from "../http/params.ts";
import { limits } from "../settings.ts";

/** How long a password's strength is looked at: more characters only make the estimate slower. */
const estimated = 100;

/**
 * Whether a password is long enough and takes enough guesses, by zxcvbn, which knows `about`: words that are close at
 * hand for whoever guesses. The estimator weighs 800 KB and is loaded on the first call.
 */
export async function isStrong(password: string, about: readonly string[]): Promise<boolean> {
  const length = lengthOf(password);
  if (length < limits.passwordMin || length > limits.passwordMax) return false;
  const { default: zxcvbn } = await import("zxcvbn");
  return zxcvbn(password.slice(0, estimated), [...about]).guesses >= limits.passwordMinGuesses;
}

/** Refuses a password that is too weak, in the words given. */
export async function checkStrength(password: string, about: readonly string[], refusal: string): Promise<void> {
  if (!(await isStrong(password, about))) throw badRequest(refusal);
}
