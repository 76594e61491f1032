/**
 * The form in which texts, names and queries are compared: without case, accents, ligatures, variants of width and style, and
 * characters that nobody sees. Search, alert words, and the filters of the web client use it.
 */

/**
 * Accents of Latin, Greek, Cyrillic, Hebrew and Arabic letters, and the dot below those of Hindi, which many leave out. The other marks
 * of other scripts are vowels, tones and consonants, and the breve of й makes it another letter.
 */
const accents = new RegExp(
  [
    "(?!(?<=[иИ])\\u0306)[",
    "\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670",
    "\\u093c\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed\\u08d3-\\u08e1\\u08e3-\\u08ff\\u1ab0-\\u1ace\\u1dc0-\\u1dff\\u20d0-\\u20e2\\u20e4-\\u20f0\\ufe20-\\ufe2f",
    "]",
  ].join(""),
  "g",
);

/** The second one stretches Arabic words. */
const invisible = /\p{Default_Ignorable_Code_Point}|\u0640/gu;

/** Characters that Unicode does not decompose, and what people type who lack them on the keyboard. */
const plainCharacters: ReadonlyMap<string, string> = new Map(
  [
    "ß:ss æ:ae œ:oe ø:o ł:l đ:d ð:d þ:th ħ:h ı:i ŧ:t ŋ:n ĸ:k ə:e ɛ:e ɔ:o ɓ:b ɗ:d ƙ:k ƴ:y ς:σ",
    // Pairs of Yiddish letters, and the two marks of Hindi for a nasal.
    "װ:וו ױ:וי ײ:יי \u0901:\u0902",
    // Letters for which Arabic, Persian and Urdu keyboards have different ones.
    "ى:ي ی:ي ے:ي ک:ك ة:ه ۃ:ه ہ:ه ھ:ه ە:ه ٱ:ا",
    "’:' ‘:' ʼ:' ʹ:' ʻ:' ʽ:' ʾ:' ʿ:' ʺ:\" ׳:' “:\" ”:\" „:\" «:\" »:\" ״:\" ‐:- –:- —:- −:- ־:-",
  ]
    .flatMap((line) => line.split(" "))
    .map((pair) => [pair[0] as string, pair.slice(2)]),
);
const plainCharacter = new RegExp(`[${[...plainCharacters.keys()].join("")}]`, "g");

/** Decimal digits of other scripts. Unicode has those of a script in a row. */
const foreignDigit = /(?![0-9])\p{Nd}/gu;
function plainDigit(digit: string): string {
  const point = digit.codePointAt(0) as number;
  let before = 0;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(point - before - 1))) before++;
  return String(before % 10);
}

/** The text with the digits of ASCII for those of other scripts and widths. */
export const plainDigits = (text: string): string => text.replace(foreignDigit, plainDigit);

/**
 * ASCII; characters of East Asia that are folded already; a character with its marks; a Korean syllable of several letters. The
 * folding of a text is that of its clusters in a row. More marks than any language has begin another cluster, because they are sorted,
 * which takes quadratic time.
 */
const clusters =
  /[\0-\x7f]+(?![\p{M}\uff9e\uff9f])|[\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]+(?![\p{M}\uff9e\uff9f\u11a8-\u11ff])|(?:[\u1100-\u115f\ua960-\ua97c][\u1160-\u11a7\ud7b0-\ud7c6]+[\u11a8-\u11ff\ud7cb-\ud7fb]*|[\s\S])[\p{M}\uff9e\uff9f]{0,30}/gu;

const isAscii = (text: string) => !/[^\0-\x7f]/.test(text);

const isEastAsian = (text: string) => /^[\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]+$/.test(text);

export const fold = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : isEastAsian(text)
      ? text
      : text.replace(clusters, (cluster) => foldCluster(cluster));

function foldCluster(cluster: string): string {
  if (isAscii(cluster)) return cluster.toLowerCase();
  if (isEastAsian(cluster)) return cluster;
  return cluster
    .normalize("NFKD")
    .replace(invisible, "")
    .replace(accents, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(plainCharacter, (character) => plainCharacters.get(character) ?? character)
    .replace(foreignDigit, plainDigit);
}

/** A folded text, with the index in the source of each of its UTF-16 units, and of its end. */
export function foldWithOffsets(source: string): { text: string; offsets: readonly number[] } {
  let text = "";
  const offsets: number[] = [];
  for (const { 0: cluster, index } of source.matchAll(clusters)) {
    const folded = foldCluster(cluster);
    // Runs of characters that are folded one by one; otherwise the whole is one character.
    const isRun = folded.length === cluster.length && folded.length > 1 && (isAscii(cluster) || isEastAsian(cluster));
    for (let unit = 0; unit < folded.length; unit++) offsets.push(isRun ? index + unit : index);
    text += folded;
  }
  offsets.push(source.length);
  return { text, offsets };
}

const writtenOut: Readonly<Record<string, string>> = {
  ...{ ä: "ae", ö: "oe", ü: "ue", å: "aa", ø: "oe" },
  // The Armenian ligature, of which small letters and capitals are written differently.
  ...{ և: "եվ", եւ: "եվ" },
};

/** The consonants of Hindi in rows, with the nasal that a mark before one of them stands for. */
const hindiNasals = [/[क-ङ]/, /[च-ञ]/, /[ट-ण]/, /[त-न]/, /[प-म]/].map((row, index) => [row, "ङञणनम"[index]] as const);
const hindiNasalOf = (consonant: string) => hindiNasals.find(([row]) => row.test(consonant))?.[1];

/**
 * The other folding of a word with letters that people write in two ways: "loesung" of "Lösung", "हिन्दी" of "हिंदी". Undefined if there
 * is none.
 */
export function foldWrittenOut(word: string): string | undefined {
  if (isAscii(word)) return undefined;
  const composed = word.normalize("NFC").toLowerCase();
  const replaced = composed
    .replace(/[äöüåøև]|եւ/g, (letters) => writtenOut[letters] ?? letters)
    .replace(/[\u0901\u0902]([क-म])/g, (_, consonant: string) => `${hindiNasalOf(consonant)}\u094d${consonant}`);
  return replaced === composed ? undefined : fold(replaced);
}
