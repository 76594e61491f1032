/** Written by infra/generate/emoji-table.ts. */
export const emojiTableVersion = "100b3e6a2c3a65d9";
