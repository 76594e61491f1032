import { t } from "../../base/languages/language.ts";

/** The types of bots, as the API numbers them. */
export const botTypes = { generic: 1, incomingWebhook: 2, outgoingWebhook: 3 } as const;
export type BotType = (typeof botTypes)[keyof typeof botTypes];

export const botTypeNames = (): Readonly<Record<number, string>> => ({
  [botTypes.generic]: t("Generic"),
  [botTypes.incomingWebhook]: t("Incoming webhook"),
  [botTypes.outgoingWebhook]: t("Outgoing webhook"),
});
