import * as z from "zod/mini";
import { creationLimits } from "../creation-limits.ts";
import { limits } from "../limits.ts";

/** The schema language for the parameters and replies of endpoints and the jobs of workers. */

/** How a value is encoded in a form or a query: raw text, JSON, or either (JSON if it parses as such). */
type Encoding = "text" | "json" | "either";

/**
 * A parameter of an endpoint, or a field of a reply, job or object. `T` is the type of its value, `I` the type of what a client
 * may send for it: it differs where a field inside has a default.
 */
export interface Param<T = unknown, I = T> {
  schema: z.ZodMiniType<T, I>;
  encoding: Encoding;
  required: boolean;
  /** The value when the parameter is absent. */
  fallback?: T;
  /** A sentence for the reference documentation. */
  note?: string;
}

/** A field that may be absent. */
export interface Optional<T, I = T> extends Param<T, I> {
  required: false;
  fallback?: never;
}

/** A field that has a value even if it is not sent. */
interface Defaulted<T, I = T> extends Param<T, I> {
  required: false;
  fallback: T;
}

export type Shape = Record<string, Param>;

export type Value<P> = P extends Param<infer T, unknown> ? T : never;
type OptionalKeys<S> = { [K in keyof S]: S[K] extends Optional<unknown> ? K : never }[keyof S];

/** The type of a shape's values, with optional fields as optional properties. */
export type Values<S> = { [K in Exclude<keyof S, OptionalKeys<S>>]: Value<S[K]> } & {
  [K in OptionalKeys<S>]?: Value<S[K]> | undefined;
};

/** The type of what a client may send for a parameter. */
export type Input<P> = P extends Param<unknown, infer I> ? I : never;
type OmittableKeys<S> = { [K in keyof S]: S[K] extends { required: false } ? K : never }[keyof S];

/** The type of what a client may send for a shape: fields with a default may be absent too. */
export type Inputs<S> = { [K in Exclude<keyof S, OmittableKeys<S>>]: Input<S[K]> } & {
  [K in OmittableKeys<S>]?: Input<S[K]> | undefined;
};

/**
 * JSON Schema keywords for checks that are written as functions, which the generated reference documentation could not describe
 * otherwise.
 */
export const schemaNotes = z.registry<{ maxLength?: number; pattern?: string; $ref?: string }>();

const param = <T, I = T>(schema: z.ZodMiniType<T>, encoding: Encoding): Param<T, I> => ({
  schema: schema as z.ZodMiniType<T, I>,
  encoding,
  required: true,
});

/** The number of Unicode code points, in which all length limits are given. */
export const lengthOf = (text: string) => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

// `readParams` replaces "{}" in an error message with the parameter's name and the path inside its value.

const isStorable = (text: string) => !text.includes("\0") && text.isWellFormed();
const notStorable = ({ input }: { input?: unknown }, label = "{}") =>
  String(input).includes("\0") ? `${label} must not contain null bytes` : `${label} is not well-formed Unicode`;

interface TextOptions {
  /** The maximum number of code points. Default: the maximum length of a message. */
  max?: number;
  allowBlank?: boolean;
  /** The name of the string in an error about its characters. Default: the parameter's name. */
  label?: string;
  /**
   * Accepts NUL and ill-formed Unicode, because the endpoint checks the characters itself, with an error that names the
   * position.
   */
  anyCharacters?: boolean;
}

/** A string of well-formed Unicode without NUL. */
export const string = ({ max = limits.messageLength, allowBlank = true, label, anyCharacters }: TextOptions = {}) =>
  param<string>(
    z
      .string({ error: "{} is not a string" })
      .check(
        z.refine((text) => anyCharacters || isStorable(text), { error: (issue) => notStorable(issue, label) }),
        z.refine((text) => allowBlank || text.trim() !== "", { error: "{} cannot be blank" }),
        z.refine((text) => text.length <= max || lengthOf(text) <= max, {
          error: `{} is too long (limit: ${max} characters)`,
        }),
      )
      .register(schemaNotes, {
        ...(max < Number.MAX_SAFE_INTEGER && { maxLength: max }),
        ...(!allowBlank && { pattern: "\\S" }),
      }),
    "text",
  );

/** An integer that a double can represent exactly. */
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

/** A string of any length, for parameters that the endpoint truncates or checks itself, and for replies. */
export const text = (options: Pick<TextOptions, "label" | "anyCharacters"> = {}) =>
  string({ max: Number.MAX_SAFE_INTEGER, ...options });

export const messageText = () => text({ label: "Message" });

/** The name of a topic or channel, whose characters the endpoint checks by `checkCharacters`. */
export const nameText = () => text({ anyCharacters: true });

/** The last second of the year 9999, in UNIX time. */
export const maxTimestamp = 253_402_300_799;

/** UNIX time in seconds, up to the year 9999. */
export const timestamp = () => int({ max: maxTimestamp });

/** Any finite number up to `max`, such as a time with a fraction. */
export const number = ({ max = Number.MAX_VALUE }: { max?: number } = {}) =>
  param<number>(z.number({ error: "{} is not a float" }).check(z.maximum(max, { error: "{} is too large" })), "json");

export const bool = () => param<boolean>(z.boolean({ error: "{} is not a boolean" }), "json");

/** One of the given strings. With `echoValue`, the error contains the first 100 characters of the value. */
export const oneOf = <const T extends readonly string[]>(values: T, { echoValue = false } = {}) =>
  param<T[number]>(
    z.enum(values as readonly string[], {
      error: ({ input }) => (echoValue ? `Invalid {}: ${String(input).slice(0, 100)}` : "Invalid {}"),
    }) as never,
    "text",
  );

export const oneOfInts = <const T extends readonly number[]>(values: T) =>
  param<T[number]>(z.literal([...values], { error: "Invalid {}" }) as never, "json");

/** A constant, such as an event's type. */
export const literal = <const T extends string | number | boolean>(value: T) =>
  param<T>(z.literal(value, { error: "Invalid {}" }) as never, typeof value === "string" ? "text" : "json");

/** A list of at most `max` items. */
export const list = <T, I>(item: Param<T, I>, { max = limits.listLength }: { max?: number } = {}) =>
  param<T[], readonly I[]>(
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

/** An object whose unknown fields are dropped: for parameters. */
export const object = <const S extends Shape>(shape: S) =>
  param<Values<S>, Inputs<S>>(z.object(fields(shape), { error: "{} is not a dict" }) as never, "json");

/** An object without unknown fields: for replies and events, since strict clients reject unknown fields. */
export const strictObject = <const S extends Shape>(shape: S) =>
  param<Values<S>, Inputs<S>>(z.strictObject(fields(shape), { error: "{} is not a dict" }) as never, "json");

/** A map from strings to values, with at most `max` entries. */
export const mapOf = <T, I>(value: Param<T, I>, { max = Number.MAX_SAFE_INTEGER }: { max?: number } = {}) =>
  param<Record<string, T>, Readonly<Record<string, I>>>(
    z
      .record(string().schema as z.ZodMiniString, value.schema, { error: "{} is not a dict" })
      .check(
        z.refine((map) => Object.keys(map).length <= max, { error: `{} is too long (limit: ${max} entries)` }),
      ) as never,
    "json",
  );

/** A value of one of several types; `kinds` names them for the error, such as "an integer or a list". */
export const union = <const P extends readonly Param[]>(options: P, kinds: string) =>
  param<Value<P[number]>, Input<P[number]>>(
    z.union(options.map((option) => option.schema) as never, { error: `{} is not ${kinds}` }) as never,
    options.some((option) => option.encoding === "text") ? "either" : "json",
  );

export const nullable = <T, I>(inner: Param<T, I>): Param<T | null, I | null> => ({
  ...inner,
  schema: z.nullable(inner.schema),
});

/** Any JSON value whose strings can be stored, for parameters and replies whose shape depends on the data. */
export const jsonValue = () =>
  param<unknown>(
    z.unknown().check(
      z.refine((value) => unstorableText(value) === undefined, {
        error: ({ input }) => notStorable({ input: unstorableText(input) }),
      }),
    ),
    "json",
  );

/** The first string in a JSON value that cannot be stored. Uses no recursion: deeply nested input would overflow the stack. */
function unstorableText(value: unknown): string | undefined {
  const stack = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next === "string" && !isStorable(next)) return next;
    if (typeof next !== "object" || next === null) continue;
    for (const [key, inner] of Object.entries(next)) stack.push(key, inner);
  }
  return undefined;
}

/**
 * A value whose schema is defined by name in the reference documentation (`infra/reference/events.ts`), to keep it out of the
 * functions' bundles. It is not validated at run time: types check handlers against it, and tests check every reply.
 */
export const schemaRef = <T>(name: string) =>
  param<T>(z.any().register(schemaNotes, { $ref: `#/components/schemas/${name}` }), "json");

/** Makes a string parameter accept JSON-quoted values too. */
export const maybeQuoted = <T, I>(inner: Param<T, I>): Param<T, I> => ({ ...inner, encoding: "either" });

export const optional = <T, I>({ schema, encoding, note }: Param<T, I>): Optional<T, I> => ({
  schema,
  encoding,
  required: false,
  ...(note !== undefined && { note }),
});

/** Makes an optional value required, for replies that always contain it. */
export const required = <T, I>({ schema, encoding }: Param<T, I>): Param<T, I> => ({
  schema,
  encoding,
  required: true,
});

/** Makes every field of a shape optional and without its default, for partial updates. */
export const partial = <const S extends Shape>(shape: S) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, { schema, encoding }]) => [name, { schema, encoding, required: false }]),
  ) as { [K in keyof S]: Optional<Value<S[K]>, Input<S[K]>> };

/** A shape whose fields are all the same. */
export const shapeOf = <const N extends string, P extends Param>(names: readonly N[], field: P) =>
  Object.fromEntries(names.map((name) => [name, field])) as Record<N, P>;

/** A parameter that takes `fallback` when it is absent. */
export const withDefault = <T, I>(inner: Param<T, I>, fallback: NoInfer<T>): Defaulted<T, I> => ({
  ...inner,
  required: false,
  fallback,
});

/** Adds a sentence for the reference documentation. */
export const withNote = <P extends Param>(inner: P, note: string): P => ({ ...inner, note });

/** A group-setting value: a group's ID, or an object with members and subgroups. */
const groupSettingOf = ({ members, groups }: { members?: { max: number }; groups?: { max: number } }) =>
  union(
    [int(), object({ direct_members: list(int(), members), direct_subgroups: list(int(), groups) })],
    "a group-setting value",
  );

/** A new value. */
export const groupSetting = () =>
  groupSettingOf({
    members: { max: creationLimits.permissionMember.max },
    groups: { max: creationLimits.permissionGroup.max },
  });

/** A change to a group-setting value: the new one and, optionally, the current one that the caller expects. */
export const groupSettingUpdate = () => object({ new: groupSetting(), old: optional(groupSettingOf({})) });

/** The schema of a shape without unknown fields, against which replies and jobs are checked. */
export const strictSchemaOf = (shape: Shape) => z.strictObject(fields(shape));
