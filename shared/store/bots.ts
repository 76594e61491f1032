import { padded } from "./keys.ts";
import { queryItems } from "./queries.ts";
import { getItem } from "./table.ts";
import { create, type Update, update, type Write } from "./writes.ts";

/** Where an outgoing-webhook bot sends what it hears. */
export interface BotService {
  name: string;
  baseUrl: string;
  /** Proves to the receiver who sends; fixed for each bot. */
  token: string;
  /** 1 generic, 2 Slack-style. */
  interface: 1 | 2;
}

/** What a bot has beside its user and its account. */
export interface Bot {
  id: number;
  /** null: nobody's. */
  ownerId: number | null;
  /** Channels by ID; null: none. */
  defaultSendingChannel: number | null;
  defaultEventsRegisterChannel: number | null;
  defaultAllPublicStreams: boolean;
  services: BotService[];
  /** What an embedded or incoming integration was configured with. */
  configData?: Record<string, string>;
}

/** All bots share a partition: the owner's and the administrators' lists are one paged query. */
const key = (id: number) => ({ pk: "BOTS", sk: padded(id) });

/** Strongly consistent: 1 read unit. */
export const findBot = (id: number) => getItem<Bot>(key(id), { consistent: true });

/** 0.5 read units for about 30. */
export const listBots = () => queryItems<Bot>({ pk: "BOTS" });

export const createBot = (bot: Bot): Write => create({ ...key(bot.id), ...bot });

export const updateBot = (id: number, change: Update): Write => update(key(id), change, { exists: true });
