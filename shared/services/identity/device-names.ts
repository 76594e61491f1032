/** What a program says of itself in its User-Agent, in the words in which people know it. */

export interface Program {
  /** Such as "Firefox" or "python-requests". */
  client: string;
  /** The operating system; empty: not told. */
  system: string;
  /** Whether people sign in to it on a device of their own, as to a browser or an app, and not a script again and again. */
  isPersonal: boolean;
}

export const mobileApp = "Zulip for phones";

/** The first that matches; the browsers that imitate others come before these. */
const personalClients: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/ZulipElectron/, "Zulip for desktop"],
  [/^Zulip(Mobile|Flutter|Android|iOS|InApp)/i, mobileApp],
  [/\bEdg(A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Headless)?Chrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^Mozilla\//, "Browser"],
];

const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/iPhone|iPad|\biOS\b/, "iOS"],
  [/Android/, "Android"],
  [/Windows/i, "Windows"],
  [/Macintosh|Mac OS X|macOS|Darwin/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/i, "Linux"],
];

/** Such as "Firefox (Linux)". */
export const nameOfProgram = ({ client, system }: Pick<Program, "client" | "system">): string =>
  system === "" ? client : `${client} (${system})`;

const maxNameLength = 30;

export function programOf(userAgent = ""): Program {
  const nameIn = (names: typeof systems) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const personal = nameIn(personalClients);
  const product = (userAgent.split("/")[0] ?? "").replace(/[^\x20-\x7e]/g, "").trim();
  return {
    client: personal ?? (product.slice(0, maxNameLength) || "unknown"),
    system: nameIn(systems) ?? "",
    isPersonal: personal !== undefined,
  };
}
