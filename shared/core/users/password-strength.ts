import { badRequest } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { lengthOf } from "../../base/schema/params.ts";

/**
 * Only the beginning of a password is passed to zxcvbn, whose run time grows faster than the length. The
 * characters that follow can only make the password stronger.
 */
const maxEstimatedCharacters = 100;

/**
 * Whether a password has a permitted length and would take enough guesses, as estimated by zxcvbn. `userInputs` are words that
 * an attacker who knows the user would try, such as their name. zxcvbn (800 KB) is loaded on first use. Its successor,
 * @zxcvbn-ts/core 4.2, weighs twice as much and takes eighteen times as long for a password of 100 characters.
 */
export async function isStrong(password: string, userInputs: readonly string[]): Promise<boolean> {
  const length = lengthOf(password);
  if (length < limits.minPasswordLength || length > limits.maxPasswordLength) return false;
  const { default: zxcvbn } = await import("zxcvbn");
  return zxcvbn(password.slice(0, maxEstimatedCharacters), [...userInputs]).guesses >= limits.minPasswordGuesses;
}

/** Throws a 400 with the given message if the password is too weak, too short or too long. */
export async function checkPasswordStrength(
  password: string,
  userInputs: readonly string[],
  errorMessage: string,
): Promise<void> {
  if (!(await isStrong(password, userInputs))) throw badRequest(errorMessage);
}
