/** Finds what a mail's text quotes and how it is signed, by the forms that mail programs give to these. */

export interface TextParts {
  body: string;
  quote: string;
  signature: string;
}

/** The lines that precede a quote, in the languages of the programs that people have most often. They may be wrapped. */
const attributions = [
  /^On\b.{4,300}\bwrote:$/,
  /^Am\b.{4,300}\bschrieb\b.{0,200}:$/,
  /^.{1,200}\bschrieb am\b.{4,200}:$/,
  /^Le\b.{4,300}\ba écrit\s*:$/,
  /^El\b.{4,300}\bescribió:$/,
  /^Il\b.{4,300}\bha scritto:$/,
  /^Op\b.{4,300}\bschreef\b.{0,200}:$/,
  /^Em\b.{4,300}\bescreveu:$/,
  /^.{4,300}<[^<>\s]{3,254}>\s*(?:wrote|schrieb|a écrit)\s*:$/,
  /^\d{4}-\d\d-\d\d.{4,200}<[^<>\s]{3,254}>:?$/,
];
const maxAttributionLines = 3;
/** The line with which a program begins the whole mail that it answers or forwards. */
const wholeMail =
  /^(?:-{2,}\s*(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Message original|Mensaje original|Messaggio originale)\s*-{2,}|_{20,})$/i;
const headerLine = /^\*?(?:From|Von|De|Da|Van)\s?:\*?\s/i;
const furtherHeader = /^\*?(?:Sent|Gesendet|Envoyé|Enviado|Inviato|Date|Datum|To|An|À|Subject|Betreff|Objet)\s?:\*?\s/i;
const deviceSignature =
  /^(?:Sent from (?:my|Outlook|Yahoo|Mail|Proton)|Get Outlook for|Von meinem .{2,40} gesendet|Gesendet mit der|Diese Nachricht wurde von meinem|Envoyé de mon|Envoyé depuis|Enviado desde mi|Inviato da|Verstuurd vanaf)\b.{0,80}$/i;

const isQuoted = (line: string) => /^\s?>/.test(line);
const isEmpty = (line: string) => /^\s*$/.test(line);

/** Separates a text; what answers a quote line by line stays together with it. */
export function cutText(text: string): TextParts {
  const lines = text.replaceAll(/\r\n?/g, "\n").split("\n");
  const { kept: unsigned, cut: signature } = cutSignature(lines);
  const { kept, cut: quote } = cutQuote(unsigned);
  // The lines above a quote may be signed too.
  const above = quote.length > 0 ? cutSignature(kept) : { kept, cut: [] };
  const body = joined(above.kept);
  // A mail that is nothing but a quote or a signature was sent for the sake of that.
  if (body === "") return { body: joined(lines), quote: "", signature: "" };
  return { body, quote: joined(quote), signature: joined([...above.cut, ...signature]) };
}

const joined = (lines: readonly string[]) =>
  lines
    .join("\n")
    .replace(/^(?:[^\S\n]*\n)+/, "")
    .trimEnd();

/** From the last "-- " line on, if little follows it and nothing that is quoted; or the last line, if a telephone has added it. */
function cutSignature(lines: readonly string[]): { kept: string[]; cut: string[] } {
  const at = lines.findLastIndex((line) => /^--\s?$/.test(line));
  const after = at < 0 ? [] : lines.slice(at);
  if (at >= 0 && after.length <= 20 && !after.some(isQuoted)) return { kept: lines.slice(0, at), cut: after };
  const last = lines.findLastIndex((line) => !isEmpty(line));
  if (last > 0 && deviceSignature.test((lines[last] ?? "").trim()))
    return { kept: lines.slice(0, last), cut: lines.slice(last) };
  return { kept: [...lines], cut: [] };
}

function cutQuote(lines: readonly string[]): { kept: string[]; cut: string[] } {
  const whole = lines.findIndex((line, index) => beginsWholeMail(lines, line, index));
  if (whole >= 0) return { kept: lines.slice(0, whole), cut: lines.slice(whole) };
  const first = lines.findIndex(isQuoted);
  if (first < 0) return cutUnmarked(lines);
  const last = lines.findLastIndex(isQuoted);
  const isOneQuote = lines.slice(first, last).every((line) => isQuoted(line) || isEmpty(line));
  const from = attributionAbove(lines, first);
  const before = lines.slice(0, from);
  const after = lines.slice(last + 1);
  // An answer between the lines of a quote needs them; what a quote stands above or below of does not.
  if (!isOneQuote) return cutLastOf(lines, last);
  return {
    kept: [...before, ...(joined(before) && joined(after) ? [""] : []), ...after],
    cut: lines.slice(from, last + 1),
  };
}

/** Of a mail that answers between quoted lines, cuts what it quotes below its last answer. */
function cutLastOf(lines: readonly string[], last: number): { kept: string[]; cut: string[] } {
  if (!lines.slice(last + 1).every(isEmpty)) return { kept: [...lines], cut: [] };
  const answer = lines.slice(0, last).findLastIndex((line) => !isQuoted(line) && !isEmpty(line));
  const from = attributionAbove(lines, answer + 1 + lines.slice(answer + 1).findIndex(isQuoted));
  return { kept: lines.slice(0, from), cut: lines.slice(from) };
}

/** A quote whose lines have no marks, as some programs make of HTML: from an attribution on that names an address or a time. */
function cutUnmarked(lines: readonly string[]): { kept: string[]; cut: string[] } {
  const at = lines.findIndex((_, index) =>
    [1, 2].some(
      (count) =>
        isAttribution(lines, index, index + count) && /@|\d[:.h]\d\d/.test(lines.slice(index, index + count).join(" ")),
    ),
  );
  return at < 0 ? { kept: [...lines], cut: [] } : { kept: lines.slice(0, at), cut: lines.slice(at) };
}

/** The first line of the attribution that ends right above a quote; the quote's own first line if there is none. */
function attributionAbove(lines: readonly string[], quote: number): number {
  const end = lines.slice(0, quote).findLastIndex((line) => !isEmpty(line)) + 1;
  for (let count = 1; count <= maxAttributionLines; count++)
    if (end - count >= 0 && isAttribution(lines, end - count, end)) return end - count;
  return quote;
}

function isAttribution(lines: readonly string[], from: number, to: number): boolean {
  const text = lines
    .slice(from, to)
    .map((line) => line.trim())
    .join(" ");
  return text.length <= 600 && attributions.some((pattern) => pattern.test(text));
}

function beginsWholeMail(lines: readonly string[], line: string, index: number): boolean {
  const following = lines.slice(index + 1, index + 5);
  if (wholeMail.test(line.trim())) return following.some((next) => headerLine.test(next.trim()));
  return headerLine.test(line.trim()) && following.filter((next) => furtherHeader.test(next.trim())).length >= 2;
}
