import { padded } from "../table/keys.ts";
import { getItem, getItems, queryItems } from "../table/reads.ts";
import { create, update, type Write } from "../table/writes.ts";

/** The service to which an outgoing-webhook bot sends messages. */
export interface BotService {
  name: string;
  baseUrl: string;
  /** Sent with each message, so that the service can authenticate this server. It never changes. */
  token: string;
  /** The format of the requests: 1 Zulip's own ("generic"), 2 Slack's. */
  interface: 1 | typeof slackInterface;
}

export const slackInterface = 2;

/** The attributes of a bot that other users do not have. */
export interface Bot {
  id: number;
  /** The owner's user ID; null: none. */
  ownerId: number | null;
  /** The IDs of the channels to which the bot sends and whose events it receives by default; null: none. */
  defaultSendingChannel: number | null;
  defaultEventsRegisterChannel: number | null;
  defaultAllPublicStreams: boolean;
  services: BotService[];
  /** The configuration of an embedded bot or incoming integration. */
  configData?: Record<string, string>;
}

/** All bots share a partition, so that one query, in pages, lists them. */
const key = (id: number) => ({ pk: "BOTS", sk: padded(id) });

/** `configData` is stored as a list of pairs: clients choose the names, and a map would lose `constructor` or `__proto__`. */
type StoredBot = Omit<Bot, "configData"> & { configData?: [name: string, value: string][] };

const toStored = <B extends Partial<Bot>>({ configData, ...bot }: B) => ({
  ...bot,
  ...(configData && { configData: Object.entries(configData) }),
});

const fromStored = ({ configData, ...bot }: StoredBot): Bot => ({
  ...bot,
  ...(configData && { configData: Object.fromEntries(configData) }),
});

export async function findBot(id: number): Promise<Bot | undefined> {
  const stored = await getItem<StoredBot>(key(id));
  return stored && fromStored(stored);
}

/** The existing bots among the given users; 1 read unit each. */
export const findBots = async (ids: readonly number[]): Promise<Bot[]> =>
  (await getItems<StoredBot>(ids.map(key))).flatMap((stored) => (stored ? fromStored(stored) : []));

/** All bots; 1 read unit for about 30. */
export const listBots = async (): Promise<Bot[]> => (await queryItems<StoredBot>({ pk: "BOTS" })).map(fromStored);

/** The write that creates a bot; its transaction fails if the ID exists. */
export const createBot = (bot: Bot): Write => create({ ...key(bot.id), ...toStored(bot) });

/**
 * The write that changes a bot's attributes. Its transaction fails if the bot does not exist, or if its services or configuration
 * are replaced and are no longer those of `before`, from which the new ones are made.
 */
export function updateBot(before: Bot, changed: Partial<Bot>): Write {
  const { services, configData } = toStored(before);
  const equals = { ...(changed.services && { services }), ...(changed.configData && { configData }) };
  return update(key(before.id), { set: toStored(changed) }, { exists: true, equals });
}
