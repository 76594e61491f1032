/**
 * Rocket.Chat's markup (https://docs.rocket.chat/docs/message-formatting) as the Markdown of Mattermost, which has the same
 * code, quotations, lists, links, emoji and mentions of people, and other marks for emphasis and channels.
 *
 * @param channelNamed the name by which a channel is meant in Mattermost's form; undefined if there is none of this name
 */
export function fromRocketChat(text: string, channelNamed: (name: string) => string | undefined): string {
  const kept: string[] = [];
  const keep = (part: string) => {
    kept.push(part);
    return `\uE000${kept.length - 1}\uE001`;
  };
  return (
    text
      .replaceAll("\r\n", "\n")
      // Links to the messages that are quoted, which come as attachments.
      .replace(/\[ ?\]\([^()\s]{1,2000}\)[^\S\n]*/g, "")
      // Code and addresses stay as they are, and emphasis may be around them.
      .replace(/```[\s\S]*?(?:```|$)|`[^`\n]+`/g, keep)
      .replace(
        /<(https?:\/\/[^<>|\s]{1,2000})\|([^<>|\n]{1,500})>/g,
        (_, url: string, label: string) => `[${label}](${keep(url)})`,
      )
      .replace(/https?:\/\/[^\s<>*)\uE000]{1,2000}/g, keep)
      .replace(/(?<![\p{L}\p{N}_/&#])#([\p{L}\p{N}_.-]{1,64})/gu, (written, name: string) => {
        const [, stem = "", rest = ""] = /^(.*?)([.-]*)$/.exec(name) ?? [];
        const whole = channelNamed(name);
        const channel = whole ?? channelNamed(stem);
        return channel === undefined ? written : keep(`~${channel}${whole === undefined ? rest : ""}`);
      })
      .replace(
        /(?<![~\p{L}\p{N}])~([^\s~](?:[^~\n]{0,1000}?[^\s~])?)~(?![~\p{L}\p{N}])/gu,
        (_, inner: string) => `${keep("~~")}${inner}${keep("~~")}`,
      )
      // A name after this would be that of a channel in Mattermost.
      .replace(/(?<!~)~(?!~)/g, "\\~")
      .replace(/(?<![*\\\p{L}\p{N}])\*([^\s*](?:[^*\n]{0,1000}?[^\s*])?)\*(?![*\p{L}\p{N}])/gu, "**$1**")
      .replace(/(?<![_\\\p{L}\p{N}])__([^\s_](?:[^_\n]{0,1000}?[^\s_])?)__(?![_\p{L}\p{N}])/gu, "_$1_")
      .replace(/\uE000(\d{1,6})\uE001/g, (written, index: string) => kept[Number(index)] ?? written)
      // A part that was kept may have been within another, once.
      .replace(/\uE000(\d{1,6})\uE001/g, (written, index: string) => kept[Number(index)] ?? written)
      .trim()
  );
}
