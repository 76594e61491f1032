import * as z from "zod/mini";
import { limits } from "../settings.ts";

/** The vocabulary in which endpoints declare parameters and replies, and workers their jobs. */

/** How a value stands in a form or a query: raw text, JSON, or JSON where it parses and raw text otherwise. */
type Wire = "text" | "json" | "either";

export interface Param<T = unknown> {
  schema: z.ZodMiniType<T>;
  wire: Wire;
  required: boolean;
  fallback?: T;
  /** Said in the reference documentation. */
  note?: string;
}

/** A field that may be absent. */
export interface Optional<T> extends Param<T> {
  required: false;
}

export type Shape = Record<string, Param>;

export type Value<P> = P extends Param<infer T> ? T : never;
type OptionalKeys<S> = { [K in keyof S]: S[K] extends Optional<unknown> ? K : never }[keyof S];

/** The plain values of a shape, optional fields as optional properties. */
export type Values<S> = { [K in Exclude<keyof S, OptionalKeys<S>>]: Value<S[K]> } & {
  [K in OptionalKeys<S>]?: Value<S[K]> | undefined;
};

/** What checks mean in the words of JSON Schema, which cannot be read from them: for the reference documentation. */
export const saidOfSchemas = z.registry<{ maxLength?: number; pattern?: string }>();

const param = <T>(schema: z.ZodMiniType<T>, wire: Wire): Param<T> => ({ schema, wire, required: true });

/** Number of Unicode code points, as all limits count. */
export const lengthOf = (text: string) => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

// "{}" in a message stands for the parameter's name with the path inside it.

/** Text as it stands. `max` counts code points; NUL and lone surrogates are refused by those who store text. */
export const string = ({ max = limits.messageLength, blank = true }: { max?: number; blank?: boolean } = {}) =>
  param<string>(
    z
      .string({ error: "{} is not a string" })
      .check(
        z.refine((text) => blank || text.trim() !== "", { error: "{} cannot be blank" }),
        z.refine((text) => text.length <= max || lengthOf(text) <= max, {
          error: `{} is too long (limit: ${max} characters)`,
        }),
      )
      .register(saidOfSchemas, {
        ...(max < Number.MAX_SAFE_INTEGER && { maxLength: max }),
        ...(!blank && { pattern: "\\S" }),
      }),
    "text",
  );

export const int = ({ min, max = Number.MAX_SAFE_INTEGER }: { min?: number; max?: number } = {}) =>
  param<number>(
    z
      .int({ error: "{} is not an integer" })
      .check(
        z.minimum(min ?? Number.MIN_SAFE_INTEGER, { error: "{} is too small" }),
        z.maximum(max, { error: "{} is too large" }),
      ),
    "json",
  );

/** Text of any length: what the endpoint cuts or checks itself, and what replies carry. */
export const text = () => string({ max: Number.MAX_SAFE_INTEGER });

/** The last second of the year 9999, in UNIX time. */
export const lastSecond = 253_402_300_799;

/** UNIX time in seconds, up to the year 9999. */
export const timestamp = () => int({ max: lastSecond });

/** Any finite number up to `max`, such as a time with its fraction. */
export const number = ({ max = Number.MAX_VALUE }: { max?: number } = {}) =>
  param<number>(z.number({ error: "{} is not a float" }).check(z.maximum(max, { error: "{} is too large" })), "json");

export const bool = () => param<boolean>(z.boolean({ error: "{} is not a boolean" }), "json");

/** One of some texts; `repeats`: the error repeats what was sent, 100 characters of it at most. */
export const oneOf = <const T extends readonly string[]>(values: T, { repeats = false } = {}) =>
  param<T[number]>(
    z.enum(values as readonly string[], {
      error: ({ input }) => (repeats ? `Invalid {}: ${String(input).slice(0, 100)}` : "Invalid {}"),
    }) as never,
    "text",
  );

/** One of some integers. */
export const oneOfInts = <const T extends readonly number[]>(values: T) =>
  param<T[number]>(z.literal([...values], { error: "Invalid {}" }) as never, "json");

export const list = <T>(item: Param<T>, { max = limits.listLength }: { max?: number } = {}) =>
  param<T[]>(
    z
      .array(item.schema, { error: "{} is not a list" })
      .check(z.maxLength(max, { error: `{} is too long (limit: ${max} items)` })),
    "json",
  );

const fields = (shape: Shape) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, { schema, required, fallback }]) => [
      name,
      required ? schema : fallback === undefined ? z.optional(schema) : z._default(schema, fallback as never),
    ]),
  );

/** An object of which the named fields are read and others dropped: for parameters. */
export const object = <const S extends Shape>(shape: S) =>
  param<Values<S>>(z.object(fields(shape), { error: "{} is not a dict" }) as never, "json");

/** An object with exactly the named fields: for replies and events, where strict clients refuse others. */
export const exactly = <const S extends Shape>(shape: S) =>
  param<Values<S>>(z.strictObject(fields(shape), { error: "{} is not a dict" }) as never, "json");

/** A map from text keys to values. */
export const mapOf = <T>(value: Param<T>) =>
  param<Record<string, T>>(z.record(z.string(), value.schema, { error: "{} is not a dict" }) as never, "json");

/** A value of one of several kinds; `kinds` names them in the error: "an integer or a list". */
export const either = <const P extends readonly Param<any>[]>(options: P, kinds: string) =>
  param<Value<P[number]>>(
    z.union(options.map((option) => option.schema) as never, { error: `{} is not ${kinds}` }) as never,
    options.some((option) => option.wire === "text") ? "either" : "json",
  );

export const nullable = <T>(inner: Param<T>): Param<T | null> => ({ ...inner, schema: z.nullable(inner.schema) });

/** Any JSON value, for replies whose shape depends on the data. */
export const anything = () => param<unknown>(z.unknown(), "json");

/** The same value, which clients may send raw or JSON-quoted. */
export const maybeQuoted = <T>(inner: Param<T>): Param<T> => ({ ...inner, wire: "either" });

/** A value that must be JSON-encoded although it is text. */
export const json = <T>(inner: Param<T>): Param<T> => ({ ...inner, wire: "json" });

export const optional = <T>(inner: Param<T>): Optional<T> => ({ ...inner, required: false });

/** A parameter that takes `fallback` when it is absent. */
export const withDefault = <T>(inner: Param<T>, fallback: NoInfer<T>): Param<T> => ({
  ...inner,
  required: false,
  fallback,
});

/** Adds a sentence for the reference documentation. */
export const noted = <P extends Param<any>>(inner: P, note: string): P => ({ ...inner, note });

/** A group-setting value (2.1): a group's ID, or members and subgroups. */
export const groupSetting = () =>
  either([int(), object({ direct_members: list(int()), direct_subgroups: list(int()) })], "a group-setting value");

/** A change of a group-setting value: the new one and, optionally, the one that the caller expects to be there. */
export const groupSettingUpdate = () => object({ new: groupSetting(), old: optional(groupSetting()) });

/** The strict schema of a whole shape, as replies and jobs are checked against. */
export const strictSchemaOf = (shape: Shape) => z.strictObject(fields(shape));
