/** Encodes an operand of a `#narrow` URL: percent-encoding with dots in place of percent signs. */
export function encodeOperand(operand: string): string {
  return encodeURIComponent(operand.toWellFormed())
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll(".", "%2E")
    .replaceAll("%", ".");
}

/** `#narrow/channel/9-some-channel`. */
export function channelPath(id: number, name: string): string {
  return `#narrow/channel/${id}-${encodeOperand(name.replaceAll(" ", "-"))}`;
}

/** `#narrow/channel/9-some-channel/topic/some.20topic`. */
export function topicPath(channelId: number, channelName: string, topic: string): string {
  return `${channelPath(channelId, channelName)}/topic/${encodeOperand(topic)}`;
}
