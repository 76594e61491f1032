import { badRequest } from "../errors.ts";
import { limits } from "../limits.ts";
import { lengthOf } from "../schema/params.ts";

/** Only this many characters are estimated: more would only slow the estimate down. */
const maxEstimatedLength = 100;

/**
 * Whether a password is long enough and takes enough guesses according to zxcvbn. `about`: words about the user that an
 * attacker would try. The estimator of 800 KB is loaded on first use.
 */
export async function isStrong(password: string, about: readonly string[]): Promise<boolean> {
  const length = lengthOf(password);
  if (length < limits.minPasswordLength || length > limits.maxPasswordLength) return false;
  const { default: zxcvbn } = await import("zxcvbn");
  return zxcvbn(password.slice(0, maxEstimatedLength), [...about]).guesses >= limits.minPasswordGuesses;
}

/** Refuses a weak password with the given message. */
export async function checkStrength(password: string, about: readonly string[], refusal: string): Promise<void> {
  if (!(await isStrong(password, about))) throw badRequest(refusal);
}
