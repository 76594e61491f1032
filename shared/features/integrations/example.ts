/**
 * A request as the service documents it, without the fields that the integration does not read, and what is posted: headers,
 * payload, topic, content. The topic is null if nothing is posted. The settings show one of each event; nothing that is deployed loads them.
 */
export type Example = [headers: Record<string, string>, payload: unknown, topic?: string | null, content?: string];

export const quoted = (text: string): string => `\`\`\`quote\n${text}\n\`\`\``;
