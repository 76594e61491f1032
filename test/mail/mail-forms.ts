/** Mails in the forms in which programs write them, and what becomes of each. Written for these tests; bytes as Latin-1. */

interface MailForm {
  name: string;
  headers?: readonly string[];
  subject?: string;
  body: string;
  /** Options of the address. */
  options?: string;
  topic?: string;
  /** The message's text; a pattern where it has parts that differ. */
  expected: string | RegExp;
}

const utf8 = (text: string) => Buffer.from(text).toString("latin1");
const base64 = (text: string) => Buffer.from(text).toString("base64");
const html = ["Content-Type: text/html; charset=utf-8"];
const rest = (body: string, cut: string) => `${body}\n\n\`\`\`spoiler Show the rest\n${cut}\n\`\`\``;

const multipart = (kind: string, boundary: string, parts: readonly string[]) => ({
  headers: [`Content-Type: multipart/${kind}; boundary="${boundary}"`],
  body: `${parts.map((part) => `--${boundary}\n${part}\n`).join("")}--${boundary}--`,
});
const part = (type: string, body: string, ...headers: string[]) =>
  [`Content-Type: ${type}`, ...headers, "", body].join("\n");

const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const invitation = [
  ...["BEGIN:VCALENDAR", "METHOD:REQUEST", "BEGIN:VEVENT", "SUMMARY:Rehearsal\\, act 2"],
  ...["DTSTART:20261201T100000Z", "DTEND:20261201T113000Z", "LOCATION:The Globe,", "  upper stage"],
  ...['ORGANIZER;CN="Burbage: R":mailto:burbage@example.com', "END:VEVENT", "END:VCALENDAR"],
].join("\r\n");

export const mailForms: readonly MailForm[] = [
  { name: "plain text", body: "The play begins at nine.", expected: "The play begins at nine." },
  { name: "several paragraphs", body: "One.\n\nTwo.\n\n\n", expected: "One.\n\nTwo." },
  {
    name: "a subject with the marks of answers",
    subject: "Re: AW: Fwd: RE[2]: The stage",
    body: "x",
    topic: "The stage",
    expected: "x",
  },
  {
    name: "a subject of nothing but marks",
    subject: "Re:",
    body: "no subject",
    topic: "Email without a subject",
    expected: "no subject",
  },
  {
    name: "an encoded subject",
    subject: "=?utf-8?B?R3LDvMOfZSBhdXMgS8O2bG4=?=",
    body: "x",
    topic: "Grüße aus Köln",
    expected: "x",
  },
  { name: "a subject in Latin-1", subject: "=?iso-8859-1?Q?D=E9j=E0_vu?=", body: "x", topic: "Déjà vu", expected: "x" },
  { name: "a long subject", subject: "o".repeat(100), body: "x", topic: `${"o".repeat(57)}...`, expected: "x" },
  {
    name: "a subject over several lines",
    subject: "A very\n long\n\tone",
    body: "x",
    topic: "A very long one",
    expected: "x",
  },
  {
    name: "UTF-8 as quoted-printable",
    headers: ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable"],
    body: "Caf=C3=A9 and a very long line that goes=\n on",
    expected: "Café and a very long line that goes on",
  },
  {
    name: "UTF-8 as base64",
    headers: ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64"],
    body: base64("Ça va, 日本 👋"),
    expected: "Ça va, 日本 👋",
  },
  { name: "Latin-1", headers: ["Content-Type: text/plain; charset=iso-8859-1"], body: "Stra\xdfe", expected: "Straße" },
  {
    name: "Windows-1252",
    headers: ["Content-Type: text/plain; charset=windows-1252"],
    body: "\x84So\x93 \x80",
    expected: "„So“ €",
  },
  {
    name: "Shift_JIS",
    headers: ["Content-Type: text/plain; charset=shift_jis"],
    body: "\x93\xfa\x96\x7b",
    expected: "日本",
  },
  {
    name: "an unknown charset",
    headers: ["Content-Type: text/plain; charset=klingon"],
    body: "readable",
    expected: "readable",
  },
  { name: "UTF-8 without saying so", headers: ["Content-Type: text/plain"], body: utf8("Grüße"), expected: "Grüße" },
  {
    name: "format=flowed",
    headers: ["Content-Type: text/plain; format=flowed"],
    body: "A line that \nwas wrapped.\nAnother.",
    expected: "A line that was wrapped.\nAnother.",
  },
  { name: "lines with dots", body: ".\n..two\nend", expected: ".\n..two\nend" },
  { name: "a signature", body: "Come.\n-- \nWill\nStratford", expected: rest("Come.", "-- \nWill\nStratford") },
  {
    name: "a signature that is wanted",
    options: ".include-footer",
    body: "Come.\n-- \nWill",
    expected: "Come.\n\n-- \nWill",
  },
  {
    name: "the signature of a telephone",
    body: "On my way\n\nSent from my iPhone",
    expected: rest("On my way", "Sent from my iPhone"),
  },
  {
    name: "a quote below the answer",
    body: "Yes.\n\nOn Mon, 30 Nov 2026 at 10:00, Ann Hathaway <ann@example.com> wrote:\n> Shall we?\n>\n> Ann",
    expected: rest(
      "Yes.",
      "On Mon, 30 Nov 2026 at 10:00, Ann Hathaway <ann@example.com> wrote:\n> Shall we?\n>\n> Ann",
    ),
  },
  {
    name: "a quote that is wanted",
    options: ".include-quotes",
    body: "Yes.\n\nOn Mon, Ann wrote:\n> Shall we?",
    expected: "Yes.\n\nOn Mon, Ann wrote:\n> Shall we?",
  },
  {
    name: "a quote above the answer",
    body: "On Mon, 30 Nov 2026, Ann wrote:\n> Shall we?\n\nYes, let us.",
    expected: rest("Yes, let us.", "On Mon, 30 Nov 2026, Ann wrote:\n> Shall we?"),
  },
  {
    name: "answers between quoted lines",
    body: "> When?\nAt nine.\n> Where?\nHere.",
    expected: "> When?\nAt nine.\n> Where?\nHere.",
  },
  {
    name: "a German attribution over two lines",
    headers: ["Content-Type: text/plain; charset=utf-8"],
    body: utf8("Gern.\n\nAm 30.11.2026 um 10:00 schrieb Anne\nHathaway <ann@example.com>:\n> Kommst du?"),
    expected: rest("Gern.", "Am 30.11.2026 um 10:00 schrieb Anne\nHathaway <ann@example.com>:\n> Kommst du?"),
  },
  {
    name: "a French attribution",
    headers: ["Content-Type: text/plain; charset=utf-8"],
    body: utf8("Oui.\n\nLe lun. 30 nov. 2026 à 10:00, Ann <ann@example.com> a écrit :\n> On y va ?"),
    expected: rest("Oui.", "Le lun. 30 nov. 2026 à 10:00, Ann <ann@example.com> a écrit :\n> On y va ?"),
  },
  {
    name: "Outlook's quote",
    body: "Agreed.\n\n________________________________\nFrom: Ann\nSent: Monday\nTo: Will\nSubject: Stage\n\nShall we?",
    expected: rest(
      "Agreed.",
      "________________________________\nFrom: Ann\nSent: Monday\nTo: Will\nSubject: Stage\n\nShall we?",
    ),
  },
  {
    name: "an original message",
    body: "No.\n\n-----Original Message-----\nFrom: Ann\nSent: Monday\nSubject: x\n\nShall we?",
    expected: rest("No.", "-----Original Message-----\nFrom: Ann\nSent: Monday\nSubject: x\n\nShall we?"),
  },
  { name: "nothing but a quote", body: "> To be", expected: "> To be" },
  {
    name: "a forwarded mail, which is kept",
    subject: "Fwd: The bill",
    topic: "The bill",
    body: "See below\n\n-----Original Message-----\nFrom: Ann\nSent: Monday\nTo: Will\n\nPay.",
    expected: "See below\n\n-----Original Message-----\nFrom: Ann\nSent: Monday\nTo: Will\n\nPay.",
  },
  {
    name: "HTML alone",
    headers: html,
    body: "<p>Hello <b>all</b>,<br>see <a href='https://example.com/a'>this</a>.</p>",
    expected: "Hello **all**,\nsee [this](https://example.com/a).",
  },
  {
    name: "HTML lists",
    headers: html,
    body: "<ul><li>one<li>two</ul><ol><li>first</ol>",
    expected: "* one\n* two\n\n1. first",
  },
  {
    name: "an HTML table",
    headers: html,
    body: "<table><tr><th>Act<th>Scene<tr><td>1<td>2</table>",
    expected: "| Act | Scene |\n| --- | --- |\n| 1 | 2 |",
  },
  {
    name: "HTML code and headings",
    headers: html,
    body: "<h1>Log</h1><pre>a  b\n c</pre>",
    expected: "# Log\n\n```\na  b\n c\n```",
  },
  {
    name: "HTML that hides text and loads pictures",
    headers: html,
    body: "<style>p{}</style><script>alert(1)</script><div style='display:none'>Preview</div><p>Seen</p><img src='https://example.com/track.gif' width=1>",
    expected: "Seen",
  },
  { name: "a link to a script", headers: html, body: "<a href='javascript:alert(1)'>click</a>", expected: "click" },
  {
    name: "Gmail's quote in HTML",
    headers: html,
    body: '<div dir="ltr">Yes</div><br><div class="gmail_quote"><div class="gmail_attr">On Mon, Ann wrote:<br></div><blockquote class="gmail_quote">Shall we?</blockquote></div>',
    expected: rest("Yes", "On Mon, Ann wrote:\n\n> Shall we?"),
  },
  {
    name: "Thunderbird's quote in HTML",
    headers: html,
    body: '<p>Yes</p><div class="moz-cite-prefix">On 30.11.26, Ann wrote:<br></div><blockquote type="cite">Shall we?</blockquote><div class="moz-signature">-- <br>Will</div>',
    expected: rest("Yes", "On 30.11.26, Ann wrote:\n\n> Shall we?\n\n--\nWill"),
  },
  {
    name: "Outlook's quote in HTML",
    headers: html,
    body: '<div>Agreed</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>From:</b> Ann<br></div><div>Shall we?</div>',
    expected: rest("Agreed", "**From:** Ann\n\nShall we?"),
  },
  {
    name: "text and HTML",
    ...multipart("alternative", "b1", [part("text/plain", "as text"), part("text/html", "<b>as HTML</b>")]),
    expected: "as text",
  },
  {
    name: "HTML rather than text",
    options: ".prefer-html",
    ...multipart("alternative", "b1", [part("text/plain", "as text"), part("text/html", "<b>as HTML</b>")]),
    expected: "**as HTML**",
  },
  {
    name: "an attached file",
    ...multipart("mixed", "b2", [
      part("text/plain", "Attached"),
      part(
        "text/csv",
        base64("a,b"),
        'Content-Disposition: attachment; filename="list [1].csv"',
        "Content-Transfer-Encoding: base64",
      ),
    ]),
    expected: /^Attached\n\[list 1\.csv\]\(\/user_uploads\/\S+\)$/,
  },
  {
    name: "a file with an encoded name",
    ...multipart("mixed", "b2", [
      part("text/plain", "Attached"),
      part(
        "application/pdf",
        base64("%PDF-1.4"),
        "Content-Disposition: attachment; filename*=utf-8''B%C3%BChne.pdf",
        "Content-Transfer-Encoding: base64",
      ),
    ]),
    expected: /^Attached\n\[Bühne\.pdf\]\(\/user_uploads\/\S+\)$/,
  },
  {
    name: "an inline picture",
    ...multipart("related", "b3", [
      part("text/html", '<p>Look: <img src="cid:pic@1" alt="the stage"> Nice.</p>'),
      part(
        "image/png",
        picture,
        "Content-ID: <pic@1>",
        "Content-Transfer-Encoding: base64",
        'Content-Disposition: inline; filename="a.png"',
      ),
    ]),
    expected: /^Look: \[the stage\]\(\/user_uploads\/\S+\) Nice\.$/,
  },
  {
    name: "a file alone",
    headers: ['Content-Type: text/csv; name="only.csv"', "Content-Disposition: attachment"],
    body: "a,b",
    expected: /^\[only\.csv\]\(\/user_uploads\/\S+\)$/,
  },
  {
    name: "an invitation",
    ...multipart("alternative", "b4", [
      part("text/plain", "Please come"),
      part("text/calendar; method=REQUEST", invitation),
    ]),
    expected:
      "Please come\n\n**Invitation: Rehearsal, act 2**\n* When: <time:2026-12-01T10:00:00Z> – <time:2026-12-01T11:30:00Z>\n* Where: The Globe, upper stage\n* Organizer: burbage@example.com",
  },
  { name: "no body", body: "", expected: "(No email body)" },
  { name: "mentions of everybody", body: "@**all** @*cast*", expected: "@_**all** @_*cast*" },
  {
    name: "fences that would end the rest",
    body: "Hi\n-- \n```\n````",
    expected: "Hi\n\n`````spoiler Show the rest\n-- \n```\n````\n```\n`````",
  },
  {
    name: "a sender who is shown",
    options: ".show-sender",
    body: "x",
    expected: /^From: Outside <form-\d+@example\.com> \(not verified\)\n\nx$/,
  },
  {
    name: "an unclosed multipart",
    ...{ headers: ['Content-Type: multipart/mixed; boundary="b5"'], body: "--b5\n\nstill here" },
    expected: "still here",
  },
  {
    name: "a boundary that nothing has",
    ...{ headers: ['Content-Type: multipart/mixed; boundary="b6"'], body: "lost?" },
    expected: "(No email body)",
  },
  {
    name: "invalid base64",
    headers: ["Content-Transfer-Encoding: base64"],
    body: `${base64("still readable ")}!!!`,
    expected: "still readable",
  },
  {
    name: "thousands of HTML elements",
    headers: html,
    body: "<p>x</p>".repeat(20_000),
    expected: /^x\n\nx[\s\S]*\[message truncated\]\n\[mail\.txt\]/,
  },
  {
    name: "a very long text",
    body: "word ".repeat(20_000),
    expected: /^word [\s\S]*\[message truncated\]\n\[mail\.txt\]\(\/user_uploads\/\S+\)$/,
  },
];

/** Mails that become dead letters: the reason. */
export const hostileMails: readonly { name: string; raw: string; reason: RegExp }[] = [
  {
    name: "ten thousand parts",
    raw: `Content-Type: multipart/mixed; boundary=b\n\n${"--b\n\nx\n".repeat(10_000)}--b--`,
    reason: /more than 500 parts/,
  },
  {
    name: "multiparts in multiparts",
    raw: `${Array.from({ length: 60 }, (_, index) => `Content-Type: multipart/mixed; boundary=b${index}x\n\n--b${index}x\n`).join("")}\nx`,
    reason: /nesting depth/,
  },
  { name: "very many lines", raw: `Subject: x\n${"\n".repeat(600_000)}x`, reason: /more than 600000 lines/ },
  { name: "endless headers", raw: `${"X-Long: yes\n".repeat(60_000)}\nx`, reason: /header size/ },
  {
    name: "very many boundaries",
    raw: `X: ${Array.from({ length: 600 }, (_, index) => `boundary=${index}`).join(" ")}\n\nx`,
    reason: /more than 500 parts/,
  },
  {
    name: "HTML that nests",
    raw: `Content-Type: text/html\n\n${"<div>".repeat(100_000)}`,
    reason: /nests more than 500 deep/,
  },
];
