import { randomInt } from "node:crypto";
import fc from "fast-check";

/**
 * What tests choose at random. `SKEIN_SEED` fixes all of these choices: `.ci/run` sets it, so that no change fails by chance, and
 * whoever repeats a failed run. Without it, each run has other ones.
 */

const { SKEIN_SEED } = process.env;

export const seed = SKEIN_SEED === undefined ? randomInt(2 ** 31) : Number(SKEIN_SEED);

if (SKEIN_SEED !== undefined) fc.configureGlobal({ seed });

export { fc };

/**
 * Characters for `fc.string`: all of Unicode but half surrogates, as `unit: "binary"`, which takes a second of processor time to list
 * them first.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800));

export type Random = () => number;

/** Random numbers in [0, 1) that a seed determines (mulberry32). */
export function randomFrom(start: number): Random {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
