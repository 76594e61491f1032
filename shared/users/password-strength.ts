import { badRequest } from "../errors.ts";
import { limits } from "../limits.ts";
import { lengthOf } from "../schema/params.ts";

/**
 * zxcvbn sees only this many characters: its run time grows with length, and a password this long is already strong or
 * weak.
 */
const maxEstimatedLength = 100;

/**
 * Whether a password has a permitted length and takes enough guesses according to zxcvbn. `userInputs`: words about the user
 * that an attacker would try. zxcvbn (800 KB) is loaded on first use.
 */
export async function isStrong(password: string, userInputs: readonly string[]): Promise<boolean> {
  const length = lengthOf(password);
  if (length < limits.minPasswordLength || length > limits.maxPasswordLength) return false;
  const { default: zxcvbn } = await import("zxcvbn");
  return zxcvbn(password.slice(0, maxEstimatedLength), [...userInputs]).guesses >= limits.minPasswordGuesses;
}

/** Throws an error with the given message if the password is too weak. */
export async function checkPasswordStrength(
  password: string,
  userInputs: readonly string[],
  errorMessage: string,
): Promise<void> {
  if (!(await isStrong(password, userInputs))) throw badRequest(errorMessage);
}
