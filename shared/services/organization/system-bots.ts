/** The bots of every organization. Their IDs follow those of the organization file's users and bots. */
export const systemBots = [
  { email: "notification-bot@zulip.com", fullName: "Notification Bot" },
  { email: "welcome-bot@zulip.com", fullName: "Welcome Bot" },
  { email: "emailgateway@zulip.com", fullName: "Email Gateway" },
] as const;

/** Welcome Bot's ID, which follows that of Notification Bot. */
export const welcomeBotId = ({ notificationBotId }: { notificationBotId: number }): number => notificationBotId + 1;

/** The ID of Email Gateway, which posts what arrives at the addresses of channels. */
export const emailGatewayId = ({ notificationBotId }: { notificationBotId: number }): number => notificationBotId + 2;

export const systemBotEmails: ReadonlySet<string> = new Set<string>(systemBots.map(({ email }) => email));
