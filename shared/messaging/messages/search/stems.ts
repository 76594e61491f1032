/// <reference path="./wink-porter2-stemmer.d.ts" />
import { stemmer as stemGerman } from "@orama/stemmers/german";
import stemEnglish from "wink-porter2-stemmer";

/**
 * Words of one stem: "deploy", "deployed" and "deployments". The index has the words themselves; those of a stem are found because
 * they begin alike. So the index does not depend on the organization's language.
 */

interface Stemming {
  stem(word: string): string;
  /** All words of the stem begin with one of these. */
  beginnings(stem: string): readonly string[];
}

/** Exceptions of the English algorithm: these stems also have words that begin otherwise. */
const otherBeginnings: Readonly<Record<string, string>> = { die: "dyi", lie: "lyi", tie: "tyi", sky: "ski" };

const english: Stemming = {
  stem: stemEnglish,
  beginnings: (stem) => {
    const other = Object.hasOwn(otherBeginnings, stem) ? [otherBeginnings[stem] as string] : [];
    // The last letter of a stem may replace others: "use" is the stem of "using", and "happi" that of "happy".
    const rest = stem.slice(0, -1);
    if (stem.length > 4) return [rest];
    if (stem.endsWith("e")) return [stem, `${rest}i`, ...other];
    return stem.endsWith("i") ? [stem, `${rest}y`, ...other] : [stem, ...other];
  },
};

const german: Stemming = { stem: stemGerman, beginnings: (stem) => [stem] };

/** Of a language by its code, such as "en-gb"; undefined if its words are not stemmed. */
export function stemmingOf(language: string): Stemming | undefined {
  const [code] = language.toLowerCase().split(/[-_]/);
  return code === "en" ? english : code === "de" ? german : undefined;
}
