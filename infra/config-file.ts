import { existsSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";

/**
 * The folder with the operator's files: settings, what is known of deployments, and the data of one machine. It is this checkout, or, with
 * a release, the folder in which its command was called (release/skein.mjs).
 */
export const operatorFolder = resolve(process.env.SKEIN_FOLDER ?? resolve(import.meta.dirname, ".."));

/** A settings file as read. */
export interface ConfigFile {
  /** The file's name, for errors. */
  name: string;
  values: Record<string, unknown>;
}

/** A problem that the operator can fix; `message` has one line for each. */
export class ConfigError extends Error {
  override name = "ConfigError";

  constructor(problems: readonly string[]) {
    super(`The settings cannot be used; nothing was changed.\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  }
}

/** One setting: its default, where it can be set, and how its text is parsed. */
export interface Field<T> {
  defaultText: string;
  /** The environment variable that can set it. */
  variable?: string;
  /** Returns undefined, or throws, for an invalid value. */
  read: (value: string) => T | undefined;
  /** The requirement, as the error continues after "must". */
  must: string;
  /** Whether errors must not show the value. */
  secret?: boolean;
}

type Values<Fields extends Record<string, Field<unknown>>> = {
  [Name in keyof Fields]: Exclude<ReturnType<Fields[Name]["read"]>, undefined>;
};

/**
 * Reads the settings file: the one that `SKEIN_CONFIG` names, or skein.config.json in the operator's folder if it exists. Throws
 * ConfigError if a named file does not exist, or if the file is not one JSON object.
 */
export function readConfigFile(namedPath = process.env.SKEIN_CONFIG): ConfigFile | undefined {
  const path = resolve(operatorFolder, namedPath ?? "skein.config.json");
  const name = basename(path);
  if (!existsSync(path)) {
    if (namedPath) throw new ConfigError([`${name}: the file does not exist`]);
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

/**
 * Reads every field from `fromContext`, else the file, else its variable, else its default. Throws one ConfigError that lists
 * all problems.
 */
export function readFields<const Fields extends Record<string, Field<unknown>>>(
  fields: Fields,
  fromContext: (name: string) => unknown,
  file: ConfigFile | undefined,
): Values<Fields> {
  const problems = Object.keys(file?.values ?? {})
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => `${file?.name}: unknown setting "${name}"`);
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries<Field<unknown>>(fields)) {
    const { setting, origin } = sourceOf(name, field, fromContext, file);
    const value = typeof setting === "object" ? undefined : valueOrError(() => field.read(String(setting)));
    if (value === undefined || value instanceof Error) {
      const reason = value instanceof Error ? `: ${value.message}` : "";
      const actual = field.secret ? "" : ` (it is ${JSON.stringify(setting)})`;
      problems.push(`${origin} must ${field.must}${actual}${reason}`);
    }
    values[name] = value;
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return values as Values<Fields>;
}

function sourceOf(
  name: string,
  { defaultText, variable }: Field<unknown>,
  fromContext: (name: string) => unknown,
  file: ConfigFile | undefined,
): { setting: unknown; origin: string } {
  const context = fromContext(name);
  if (context !== undefined) return { setting: context, origin: `-c ${name}` };
  if (file && Object.hasOwn(file.values, name)) return { setting: file.values[name], origin: `${file.name}: ${name}` };
  const inEnvironment = variable === undefined ? undefined : process.env[variable];
  if (inEnvironment !== undefined) return { setting: inEnvironment, origin: variable as string };
  return { setting: defaultText, origin: name };
}

function valueOrError<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error as Error;
  }
}
