import { padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { getItem } from "../table/table.ts";
import { create, update, type Write } from "../table/writes.ts";

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

/** A list of pairs: the names are the client's, and as an attribute's name `constructor` or `__proto__` would be lost. */
type StoredBot = Omit<Bot, "configData"> & { configData?: [name: string, value: string][] };

const toStored = <B extends Partial<Bot>>({ configData, ...bot }: B) => ({
  ...bot,
  ...(configData && { configData: Object.entries(configData) }),
});

const fromStored = ({ configData, ...bot }: StoredBot): Bot => ({
  ...bot,
  ...(configData && { configData: Object.fromEntries(configData) }),
});

/** Strongly consistent: 1 read unit. */
export async function findBot(id: number): Promise<Bot | undefined> {
  const stored = await getItem<StoredBot>(key(id), { consistent: true });
  return stored && fromStored(stored);
}

/** 0.5 read units for about 30. */
export const listBots = async (): Promise<Bot[]> => (await queryItems<StoredBot>({ pk: "BOTS" })).map(fromStored);

export const createBot = (bot: Bot): Write => create({ ...key(bot.id), ...toStored(bot) });

export const updateBot = (id: number, changed: Partial<Bot>): Write =>
  update(key(id), { set: toStored(changed) }, { exists: true });
