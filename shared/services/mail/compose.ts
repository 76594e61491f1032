import { escapeHtml } from "../../base/html.ts";

/** An e-mail's content: paragraphs of text or links. */
export interface MailContent {
  subject: string;
  paragraphs: readonly (string | { label: string; url: string })[];
}

/** The mail as text and HTML. The HTML loads no remote content, so that it cannot be tracked. */
export function composeMail({ subject, paragraphs }: MailContent): { subject: string; text: string; html: string } {
  const text = paragraphs.map((part) => (typeof part === "string" ? part : `${part.label}: ${part.url}`));
  const html = paragraphs.map((part) => {
    if (typeof part === "string") return `<p>${escapeHtml(part, true)}</p>`;
    const url = escapeHtml(part.url, true);
    return `<p><a href="${url}">${escapeHtml(part.label, true)}</a><br>${url}</p>`;
  });
  return { subject, text: `${text.join("\n\n")}\n`, html: `${html.join("\n")}\n` };
}
