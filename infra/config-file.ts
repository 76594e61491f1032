import { existsSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";

/** A file of settings, as it was found. */
export interface ConfigFile {
  /** Its name, as errors say it. */
  name: string;
  values: Record<string, unknown>;
}

/** Something that the operator can mend; `message` has a line for each thing. */
export class ConfigError extends Error {
  override name = "ConfigError";

  constructor(problems: readonly string[]) {
    super(`The settings cannot be used; nothing was changed.\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  }
}

/** One setting: what it is when nobody says, and what a text means. */
export interface Field<T> {
  byDefault: string;
  /** The environment variable that may say it. */
  variable?: string;
  /** Undefined, or an error, for what cannot be meant. */
  read: (value: string) => T | undefined;
  /** What an error says: "must ...". */
  must: string;
  /** Whether errors must not repeat it. */
  secret?: boolean;
}

type Values<Fields extends Record<string, Field<unknown>>> = {
  [Name in keyof Fields]: Exclude<ReturnType<Fields[Name]["read"]>, undefined>;
};

/** The settings' file: `SKEIN_CONFIG`, or skein.config.json beside package.json if it is there. */
export function readConfigFile(named = process.env.SKEIN_CONFIG): ConfigFile | undefined {
  const path = resolve(named ?? resolve(import.meta.dirname, "..", "skein.config.json"));
  const name = basename(path);
  if (!existsSync(path)) {
    if (named) throw new ConfigError([`${name}: there is no such file`]);
    return undefined;
  }
  try {
    const values: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof values === "object" && values !== null && !Array.isArray(values)) return { name, values: { ...values } };
  } catch (error) {
    throw new ConfigError([`${name}: ${(error as Error).message}`]);
  }
  throw new ConfigError([`${name}: must be one JSON object`]);
}

/** Every field's value: from `fromContext`, else the file, else its variable, else its default. Throws what is wrong with all of them. */
export function readFields<const Fields extends Record<string, Field<unknown>>>(
  fields: Fields,
  fromContext: (name: string) => unknown,
  file: ConfigFile | undefined,
): Values<Fields> {
  const problems = Object.keys(file?.values ?? {})
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => `${file?.name}: there is no setting "${name}"`);
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries<Field<unknown>>(fields)) {
    const { given, origin } = sourceOf(name, field, fromContext, file);
    const value = typeof given === "object" ? undefined : attempt(() => field.read(String(given)));
    if (value === undefined || value instanceof Error) {
      const why = value instanceof Error ? `: ${value.message}` : "";
      const shown = field.secret ? "" : ` (it is ${JSON.stringify(given)})`;
      problems.push(`${origin} must ${field.must}${shown}${why}`);
    }
    values[name] = value;
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return values as Values<Fields>;
}

function sourceOf(
  name: string,
  { byDefault, variable }: Field<unknown>,
  fromContext: (name: string) => unknown,
  file: ConfigFile | undefined,
): { given: unknown; origin: string } {
  const context = fromContext(name);
  if (context !== undefined) return { given: context, origin: `-c ${name}` };
  if (file && Object.hasOwn(file.values, name)) return { given: file.values[name], origin: `${file.name}: ${name}` };
  const inEnvironment = variable === undefined ? undefined : process.env[variable];
  if (inEnvironment !== undefined) return { given: inEnvironment, origin: variable as string };
  return { given: byDefault, origin: name };
}

function attempt<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error as Error;
  }
}
