import { mention } from "../../../core/markdown/source/references.ts";
import type { Member } from "../../bootstrap/members.ts";

/** What becomes of what a text names, by IDs and paths in the archive. */
export interface Targets {
  user(zulipId: number): Pick<Member, "id" | "fullName"> | undefined;
  channel(zulipId: number): number | undefined;
  message(zulipId: number): number | undefined;
  /** The new URL of a file; undefined if it has none. */
  file(path: string): string | undefined;
  /** Where the organization was, such as `acme.zulipchat.com`. Links to other places stay. */
  isOldHost(host: string): boolean;
}

/**
 * A text with the IDs, names and paths that things have now. `rendered` is its HTML in the archive: it says whom mentions without
 * an ID meant, who may have another name by now.
 */
export function translateContent(content: string, rendered: string, targets: Targets): string {
  let text = content.replace(/@(_?)\*\*([^*\n]*)\|(\d{1,15})\*\*/g, (_, silent: string, name: string, id: string) => {
    const user = targets.user(Number(id));
    return user ? mention(user, silent === "_" ? "@_" : "@") : `@${silent}**${name}**`;
  });
  if (/@_?\*\*[^*|]+\*\*/.test(text) && rendered.includes("data-user-id")) {
    const meant = mentionsIn(rendered);
    text = text.replace(/@(_?)\*\*([^*|]+)\*\*/g, (written, silent: string, name: string) => {
      const user = meant.has(name) ? targets.user(meant.get(name) as number) : undefined;
      return user && user.fullName !== name ? mention(user, silent === "_" ? "@_" : "@") : written;
    });
  }
  text = text.replace(/#\*\*([^*>]+)>([^*]*)@(\d{1,15})\*\*/g, (_, channel: string, topic: string, id: string) => {
    const message = targets.message(Number(id));
    return `#**${channel}>${topic}${message === undefined ? "" : `@${message}`}**`;
  });
  if (!/#narrow\/|#user\/|\/user_uploads\//.test(text)) return text;
  return text.replace(
    /(https?:\/\/([^\s/()<>]+))?(\/?#(?:narrow|user)\/[^\s()<>[\]"']+|\/user_uploads\/[^\s()<>[\]"']+)/g,
    (link: string, origin: string | undefined, host: string | undefined, path: string, offset: number) => {
      // A sentence may end with a link.
      let end = path.length;
      while (end > 0 && ".,;:!?".includes(path[end - 1] as string)) end--;
      const [target, rest] = [path.slice(0, end), path.slice(end)];
      const url = target.startsWith("/user_uploads/")
        ? targets.file(target.slice("/user_uploads/".length))
        : host === undefined || targets.isOldHost(host)
          ? translateHash(target, targets)
          : undefined;
      if (url === undefined) return link;
      const isInLink = /(\]\(|<|\]: ?)$/.test(text.slice(Math.max(0, offset - 4), offset));
      // Only a whole URL becomes a link by itself.
      return origin === undefined || isInLink ? url + rest : `[${origin}${target}](${url})${rest}`;
    },
  );
}

/** IDs of mentioned users by the names that the HTML shows. */
function mentionsIn(html: string): Map<string, number> {
  const found = html.matchAll(/<span class="user-mention[^"]*" data-user-id="(\d{1,15})">@?([^<]*)<\/span>/g);
  return new Map([...found].map(([, id, name = ""]) => [unescapeHtml(name), Number(id)]));
}

const entities: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
const unescapeHtml = (html: string) => html.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);

/** The fragment of a URL of Zulip's clients, which names a user, or a narrow by operators and operands. */
function translateHash(hash: string, targets: Targets): string {
  const [, kind, rest = ""] = /^\/?#(narrow|user)\/(.*)$/s.exec(hash) ?? [];
  if (kind === "user") return `/#user/${rest.replace(/^\d{1,15}/, (id) => String(targets.user(Number(id))?.id ?? 0))}`;
  const parts = rest.split("/");
  const translated: string[] = [];
  for (let index = 0; index < parts.length; index += 2) {
    const [operator = "", operand] = [parts[index], parts[index + 1]];
    const value = operand === undefined ? undefined : translateOperand(operator.replace(/^-/, ""), operand, targets);
    // A message that is gone is left out of the link to its conversation.
    if (value !== null) translated.push(operator, ...(value === undefined ? [] : [value]));
  }
  return `/#narrow/${translated.join("/")}`;
}

/** Null for a message that is not there. Others who are not there get the ID 0, which nobody has. */
function translateOperand(operator: string, operand: string, targets: Targets): string | null {
  switch (operator) {
    case "channel":
    case "stream":
      return operand.replace(/^\d{1,15}(?=-|$)/, (id) => String(targets.channel(Number(id)) ?? 0));
    case "dm":
    case "dm-including":
    case "pm-with":
    case "group-pm-with":
    case "sender":
      return operand.replace(/^[\d,]+(?=-|$)/, (ids) =>
        ids
          .split(",")
          .map((id) => targets.user(Number(id))?.id ?? 0)
          .join(","),
      );
    case "near":
    case "with":
    case "id": {
      const id = targets.message(Number(operand));
      return id === undefined ? null : String(id);
    }
    default:
      return operand;
  }
}
