import * as z from "zod/mini";

/**
 * The types of fields in services' payloads. Services omit fields, or send null, without saying so: these fields have a value
 * in any case, so that an integration states what it can not do without, and nothing else fails.
 */

/** More than a message can contain. */
const maxTextCharacters = 20_000;

/** A text, without NUL and at most `max` characters; empty if it is absent or something else. Numbers become text. */
export const text = (max = maxTextCharacters) =>
  z.catch(
    z.pipe(
      z.union([z.string(), z.number()]),
      z.transform((value) => String(value).replaceAll("\0", "").slice(0, max)),
    ),
    "",
  );

/** A number that can be stored and counted with; 0 if it is absent, larger or something else. */
export const number = () =>
  z.catch(z.number().check(z.minimum(Number.MIN_SAFE_INTEGER), z.maximum(Number.MAX_SAFE_INTEGER)), 0);

/** UNIX seconds, perhaps with a fraction, until the end of the year 9999. */
export const seconds = () => z.number().check(z.minimum(0), z.maximum(253_402_300_799));

/** The same; 0 if they are absent or something else. */
export const time = () => z.catch(seconds(), 0);

export const flag = () => z.catch(z.boolean(), false);

/** An object, or undefined if it is absent or something else. */
export const maybe = <S extends z.ZodMiniType>(schema: S) => z.catch(z.optional(schema), undefined);

/** The items of a list that fit, at most `max`; empty if it is absent. */
export const listOf = <S extends z.ZodMiniType>(item: S, max = maxItems) =>
  z.pipe(
    z.catch(z.array(z.unknown()), []),
    z.transform((items): z.output<S>[] =>
      items.slice(0, max).flatMap((value) => {
        const parsed = item.safeParse(value);
        return parsed.success ? [parsed.data] : [];
      }),
    ),
  );

/** More than an integration shows of any list. */
const maxItems = 500;

export { object, type output, record, unknown } from "zod/mini";
