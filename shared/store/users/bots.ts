import { padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { getItem, getItems } from "../table/table.ts";
import { create, update, type Write } from "../table/writes.ts";

/** The service to which an outgoing-webhook bot sends messages. */
export interface BotService {
  name: string;
  baseUrl: string;
  /** Authenticates the server to the service; constant for each bot. */
  token: string;
  /** 1 generic, 2 Slack-style. */
  interface: 1 | 2;
}

/** The attributes of a bot that other users do not have. */
export interface Bot {
  id: number;
  /** null: no owner. */
  ownerId: number | null;
  /** Channels by ID; null: none. */
  defaultSendingChannel: number | null;
  defaultEventsRegisterChannel: number | null;
  defaultAllPublicStreams: boolean;
  services: BotService[];
  /** The configuration of an embedded bot or incoming integration. */
  configData?: Record<string, string>;
}

/** All bots share a partition, so that one paged query lists them. */
const key = (id: number) => ({ pk: "BOTS", sk: padded(id) });

/** A list of pairs, because clients choose the names and an attribute named `constructor` or `__proto__` would be lost. */
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

/** The existing bots among the given users; strongly consistent, 1 read unit each. */
export const findBots = async (ids: readonly number[]): Promise<Bot[]> =>
  (await getItems<StoredBot>(ids.map(key), { consistent: true })).flatMap((stored) =>
    stored ? fromStored(stored) : [],
  );

/** 0.5 read units for about 30. */
export const listBots = async (): Promise<Bot[]> => (await queryItems<StoredBot>({ pk: "BOTS" })).map(fromStored);

export const createBot = (bot: Bot): Write => create({ ...key(bot.id), ...toStored(bot) });

export const updateBot = (id: number, changed: Partial<Bot>): Write =>
  update(key(id), { set: toStored(changed) }, { exists: true });
