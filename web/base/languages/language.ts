import { computed, effect, signal } from "@preact/signals";
import { MessageFormatter, pluralTypeHandler } from "@ultraq/icu-message-formatter";

/** The language of the page: which one it is, and texts in it. Another language's texts are loaded when it is first used. */

/** The texts of a language by the English ones; both may have arguments and plurals of ICU's message format. */
export type Catalogue = Readonly<Record<string, string>>;

/** The languages, with their names for themselves. */
export const languages = {
  en: { name: "English", texts: async (): Promise<Catalogue> => ({}) },
  de: { name: "Deutsch", texts: async (): Promise<Catalogue> => (await import("./de.ts")).german },
  fr: { name: "Français", texts: async (): Promise<Catalogue> => (await import("./fr.ts")).french },
};
export type Language = keyof typeof languages;

/** The language of a tag such as "de-AT" or "de_AT"; undefined if the page has no texts in it, or for anything but a text. */
export function languageOf(tag: unknown): Language | undefined {
  if (typeof tag !== "string") return undefined;
  const [code = ""] = tag.toLowerCase().split(/[-_]/);
  return Object.hasOwn(languages, code) ? (code as Language) : undefined;
}

/** The direction of a language's script. `Intl` says it directly, but not in every browser. */
export const directionOf = (tag: string): "rtl" | "ltr" =>
  /^(Adlm|Arab|Hebr|Nkoo|Rohg|Syrc|Thaa)$/.test(new Intl.Locale(tag).maximize().script ?? "") ? "rtl" : "ltr";

/** What decides on the language, as tags. */
interface Wishes {
  /** What was chosen in this browser. */
  chosen: string | undefined;
  account: string | undefined;
  organization: string | undefined;
  /** The browser's languages, the preferred one first. */
  browser: readonly string[];
}

/**
 * The tag of the language to use, for texts, dates and numbers: of the choice in this browser, else of the account if it differs
 * from the organization's, which new accounts start with; else of the browser. A region comes from the browser, such as "de-AT".
 */
export function languageTag({ chosen, account, organization, browser }: Wishes): string {
  const own = account === organization ? undefined : account;
  const wished = [chosen, own, ...browser].find((tag) => tag !== undefined && languageOf(tag) !== undefined);
  const language = languageOf(wished ?? "en") ?? "en";
  return browser.find((tag) => languageOf(tag) === language) ?? language;
}

const storageKey = "skein-language";

function storedChoice(): Language | undefined {
  try {
    return languageOf(localStorage.getItem(storageKey) ?? "");
  } catch {
    return undefined;
  }
}

/** The language that was chosen in this browser. */
export const chosenLanguage = signal(storedChoice());

export function chooseLanguage(language: Language | undefined): void {
  chosenLanguage.value = language;
  try {
    if (language === undefined) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, language);
  } catch {
    // The choice then lasts until the page is closed.
  }
}

/** `default_language` of the account and of its organization, while somebody is signed in. */
export const serverLanguages = signal<{ account?: string | undefined; organization?: string | undefined }>({});

const wishedTag = computed(() =>
  languageTag({
    chosen: chosenLanguage.value,
    account: serverLanguages.value.account,
    organization: serverLanguages.value.organization,
    browser: navigator.languages,
  }),
);

const current = signal<{ tag: string; catalogue: Catalogue }>({ tag: "en", catalogue: {} });

/** The tag of the current language, for `Intl`. */
export const locale = computed(() => current.value.tag);

let loading = Promise.resolve();
const longestWaitMs = 3000;
/** Resolves when the texts of the language that is wished for are there, or take too long: then the page is drawn again with them. */
export const languageLoaded = (): Promise<void> =>
  Promise.race([loading, new Promise<void>((resolve) => setTimeout(resolve, longestWaitMs))]);

async function load(tag: string): Promise<void> {
  const language = languageOf(tag) ?? "en";
  try {
    const catalogue = await languages[language].texts();
    if (tag !== wishedTag.peek()) return;
    current.value = { tag, catalogue };
  } catch (error) {
    // The page stays as it is: what cannot be loaded now is there after a reload.
    console.error(`The texts of ${languages[language].name} could not be loaded:`, error);
  }
}

effect(() => {
  loading = load(wishedTag.value);
});

const numberFormat = computed(() => new Intl.NumberFormat(locale.value));
const formatNumber = (value: number) => numberFormat.value.format(value);

const listFormat = computed(() => new Intl.ListFormat(locale.value));
/** For example "Ann, Ben, and Cleo". */
export const formatList = (names: readonly string[]) => listFormat.value.format(names);

const collator = computed(() => new Intl.Collator(locale.value));
/** The order of two names in the current language. */
export const compareTexts = (a: string, b: string) => collator.value.compare(a, b);

/** Without a region: the formatter makes rules for plurals anew each time for a tag that `Intl` shortens, such as "en-US" to "en". */
const formatter = computed(() => new MessageFormatter(languageOf(locale.value) ?? "en", { plural: pluralTypeHandler }));

/** A text in the current language in pieces, between which are the values of its arguments. */
export const pieces = <Value>(message: string, values: Readonly<Record<string, Value>>): (string | Value)[] =>
  formatter.value
    .process(current.value.catalogue[message] ?? message, values)
    .flat(Number.POSITIVE_INFINITY)
    .map((piece) => (typeof piece === "number" ? formatNumber(piece) : piece));

/** A text in the current language; `message` is the English one. A component that calls this is drawn again in another language. */
export const t = (message: string, values: Readonly<Record<string, string | number>> = {}): string =>
  pieces(message, values).join("");
