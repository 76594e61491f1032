/** The elements that the renderer produces, and the attributes that each may have. */
const allowedAttributes: Record<string, string[]> = {
  p: [],
  br: [],
  hr: [],
  h1: [],
  h2: [],
  h3: [],
  h4: [],
  h5: [],
  h6: [],
  em: [],
  strong: [],
  del: [],
  code: [],
  pre: [],
  ul: [],
  ol: ["start"],
  li: [],
  blockquote: [],
  table: [],
  thead: [],
  tbody: [],
  tr: [],
  th: ["style"],
  td: ["style"],
  a: ["href", "title", "class", "data-stream-id"],
  span: ["class", "style", "title", "role", "aria-label", "aria-hidden", "data-user-id", "data-user-group-id"],
  div: ["class", "aria-hidden", "data-code-language"],
  img: ["alt", "class", "src", "title", "data-original-content-type", "data-original-dimensions"],
  time: ["datetime"],
};
const voidTags = new Set(["br", "hr", "img"]);
// The markup of formulas, which has a larger vocabulary.
const typesetting = new Set(
  "math semantics annotation mrow mi mo mn ms mtext mspace mover munder munderover msub msup msubsup mfrac msqrt mroot mstyle mpadded mphantom menclose mtable mtr mtd svg path line".split(
    " ",
  ),
);
const tag = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)>/gi;
const attribute = / ([a-z-]+)(?:="([^"<>]*)")?/gi;
const safeTarget =
  /^(?:(?:https?|ftp|sftp|mailto|tel|sms|xmpp|bitcoin|geo|im|ircs?|magnet|matrix|mms|news|nntp|openpgp4fpr|sip|smsto|ssh|urn|webcal|wtai):|\/|#|$)/;

/** The parts of HTML that the renderer must never produce; empty if there are none. */
export function unsafeParts(html: string): string[] {
  const problems: string[] = [];
  const openTags: string[] = [];
  for (const [wholeTag, slash, name, attributes] of html.matchAll(tag)) {
    const tagName = name!.toLowerCase();
    if (typesetting.has(tagName)) continue;
    if (!(tagName in allowedAttributes)) problems.push(wholeTag);
    if (slash) {
      if (openTags.pop() !== tagName) problems.push(`unmatched ${wholeTag}`);
      continue;
    }
    if (!voidTags.has(tagName)) openTags.push(tagName);
    for (const [, key, value = ""] of attributes!.matchAll(attribute)) {
      if (!allowedAttributes[tagName]?.includes(key!)) problems.push(`${key} in ${wholeTag}`);
      if ((key === "href" || key === "src") && !safeTarget.test(value)) problems.push(wholeTag);
    }
  }
  if (openTags.length > 0) problems.push(`unclosed ${openTags}`);
  const rest = html.replace(tag, "");
  if (/[<>]/.test(rest)) problems.push(`unescaped: ${rest}`);
  if (html.includes("\u0002") || html.includes("\u0003")) problems.push("a mark is left");
  return problems;
}
