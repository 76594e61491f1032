/**
 * Which characters are of scripts that are written without spaces, as parts of regular expressions. In a file of its own, because alert
 * words, which many functions load, need nothing else of the analysis.
 */

const unspacedScripts = "Han Hira Kana Hang Bopo Thai Laoo Khmr Mymr Tibt Yiii Lana Java Bali"
  .split(" ")
  .map((script) => `\\p{scx=${script}}`)
  .join("");
/** Letters that stand for an apostrophe, as in Hawaiian and Ukrainian. */
export const apostrophes = "\\u02b9-\\u02bf";
/** A character of a script without spaces. */
export const unspaced = `(?=[\\p{L}\\p{M}\\p{Nl}\\p{No}])(?![\\u0300-\\u036f${apostrophes}])[${unspacedScripts}]`;
const unspacedOnly = new RegExp(unspaced, "u");
/** Whether a character is of a script that is written without spaces. */
export const isUnspaced = (text: string): boolean => unspacedOnly.test(text);
