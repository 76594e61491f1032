import { mailVerdictsBy } from "../../base/environment.ts";
import { authenticationMethods } from "./jobs.ts";
import type { IncomingMail } from "./read-mime.ts";

type Method = (typeof authenticationMethods)[number];

/** What a mail's headers say about who has sent it. Anybody can write any header; only those that our own server added count. */

/**
 * Whether the mail is from the address that it names as its author: "none" if no server in front of the fleet judges that.
 * `passed` has the methods by which it passed, if the server has said so elsewhere than in the mail; then no other counts.
 */
export type Verdict = "pass" | "fail" | "none";

export function verdictOn({ headers, from }: IncomingMail, passed: readonly Method[] = authenticationMethods): Verdict {
  const judge = mailVerdictsBy().toLowerCase();
  if (judge === "") return "none";
  // The server puts its header above all others, which the sender may have written.
  const [results = ""] = headers.get("authentication-results") ?? [];
  const [authority = "", ...methods] = (bare(results.toLowerCase()) ?? "").split(";");
  const [judgedBy] = authority.trim().split(/\s/);
  const domain = from?.address.split("@").at(-1);
  if (judgedBy !== judge || !domain) return "fail";
  const isAligned = (name: string) =>
    name.includes(".") && (name === domain || name.endsWith(`.${domain}`) || domain.endsWith(`.${name}`));
  const judged = methods.map((method) => method.trim());
  // A server judges each of these once. What a sending server calls itself may look like a result where it is not quoted.
  if (["dmarc", "spf"].some((method) => judged.filter((result) => result.startsWith(`${method}=`)).length > 1))
    return "fail";
  if (judged.some((result) => /^dmarc=pass\b/.test(result))) return passed.includes("dmarc") ? "pass" : "fail";
  // A domain that publishes a policy has said what to think of the others.
  if (judged.some((result) => /^dmarc=fail\b/.test(result))) return "fail";
  const passes = judged.some((result, index) => {
    const [, signer] = /^dkim=pass\b.*\bheader\.(?:d|i)=(?:\S*@)?([^\s@]+)/.exec(result) ?? [];
    // SES writes "spf=pass client-ip=…; envelope-from=…; helo=…".
    const spf = judge === sesJudge ? `${result} ${judged[index + 1]}` : result;
    const [, envelope] = /^spf=pass\b.*\b(?:smtp\.mailfrom|envelope-from)=(?:\S*@)?([^\s@]+)/.exec(spf) ?? [];
    return (
      (passed.includes("dkim") && isAligned(signer ?? "")) || (passed.includes("spf") && isAligned(envelope ?? ""))
    );
  });
  return passes ? "pass" : "fail";
}

/** A header's value without quoted strings and comments, in which a sender's words may stand; undefined if one does not end. */
function bare(value: string): string | undefined {
  let text = "";
  let depth = 0;
  let isQuoted = false;
  for (let index = 0; index < value.length; index++) {
    const letter = value[index] as string;
    if (letter === "\\") index++;
    else if (isQuoted) isQuoted = letter !== '"';
    else if (letter === "(") depth++;
    else if (letter === ")") depth--;
    else if (depth === 0 && letter === '"') isQuoted = true;
    else if (depth === 0) text += letter;
    // An empty word, so that what stood before and after does not become one.
    if (depth === 0 && !isQuoted && /["()]/.test(letter)) text += " ";
    if (depth < 0) return undefined;
  }
  return depth === 0 && !isQuoted ? text : undefined;
}

/** The name that SES has in the results that it writes into the mails that it receives. */
const sesJudge = "amazonses.com";

const maxHops = 100;

/** Why a mail is dropped without a word; undefined for one that somebody wants to be read. The headers of SES precede the sender's. */
export function dropReason({ headers }: IncomingMail, envelopeFrom: string, isReply: boolean): string | undefined {
  const first = (name: string) => (headers.get(name)?.[0] ?? "").trim().toLowerCase();
  if (mailVerdictsBy() === sesJudge)
    for (const scan of ["virus", "spam"])
      if (first(`x-ses-${scan}-verdict`) === "fail") return `SES considers it ${scan}`;
  if (headers.has("x-skein-mail")) return "it is a mail of this server";
  if ((headers.get("received")?.length ?? 0) > maxHops) return "it goes round in circles";
  const isReport = /^multipart\/report|report-type\s*=\s*"?delivery-status/.test(first("content-type"));
  if (isReport || /^<?mailer-daemon@/i.test(first("from"))) return "it reports about another mail";
  const submitted = first("auto-submitted").split(";")[0]?.trim() ?? "";
  const isAutomaticReply = submitted === "auto-replied" || headers.has("x-autoreply") || headers.has("x-autorespond");
  if (isAutomaticReply || /^auto[_-]?reply/.test(first("precedence"))) return "it is an automatic reply";
  // Alarms and mailing lists are welcome in a channel, but do not answer in the name of a person.
  if (!isReply) return undefined;
  if (envelopeFrom === "" || (submitted !== "" && submitted !== "no")) return "it was not written by a person";
  return /^(?:bulk|junk|list)\b/.test(first("precedence")) || headers.has("list-id")
    ? "it is from a mailing list"
    : undefined;
}
