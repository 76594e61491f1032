/** The bots that come with every organization; they take their IDs after the organization file's users and bots. */
export const systemBots = [
  { email: "notification-bot@zulip.com", fullName: "Notification Bot" },
  { email: "welcome-bot@zulip.com", fullName: "Welcome Bot" },
  { email: "emailgateway@zulip.com", fullName: "Email Gateway" },
] as const;

export const systemBotEmails: ReadonlySet<string> = new Set<string>(systemBots.map(({ email }) => email));
