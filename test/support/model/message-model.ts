/**
 * A reference model of what readers should see, as simple as possible: every message records who was subscribed when it was
 * sent, and every reader what they marked. It has no indexes, periods or segments; the fleet must give the same results.
 */

/** A message's content: plain words, and whom it mentions. */
export interface ModelText {
  words: readonly string[];
  mentions?: string | undefined;
}

interface ModelMessage {
  id: number;
  sender: string;
  text: ModelText;
  /** Of a channel message; moves change them. */
  channel?: string;
  topic?: string;
  /** Of a direct message: all participants. */
  people?: ReadonlySet<string>;
  /** The subscribers of each channel when it was sent: they have received it, wherever it is moved. */
  subscribers: ReadonlyMap<string, ReadonlySet<string>>;
  /** The subscribers of its channel when it was moved there. */
  subscribersAtMove?: ReadonlySet<string>;
}

/** The value of `ModelText.mentions` for a wildcard mention. */
export const everyone = "all";

interface ModelChannel {
  isPublic: boolean;
  subscribers: Set<string>;
}

/** The terms of a narrow, all of which must match. */
export interface ModelNarrow {
  channel?: string;
  topic?: string;
  sender?: string;
  direct?: boolean;
  starred?: boolean;
  unread?: boolean;
  mentioned?: boolean;
  search?: string;
}

export interface ModelRange {
  anchor: number | "newest" | "oldest" | "first_unread";
  before: number;
  after: number;
}

/** The anchor of the newest page, as the API returns it: larger than every message ID. */
export const newest = 1e16;

export class MessageModel {
  readonly channels = new Map<string, ModelChannel>();
  readonly messages: ModelMessage[] = [];
  private readonly marks = new Map<string, boolean>();
  private readonly stars = new Set<string>();

  sendToChannel(id: number, sender: string, channel: string, topic: string, text: ModelText) {
    const subscribers = new Map([...this.channels].map(([name, { subscribers }]) => [name, new Set(subscribers)]));
    this.messages.push({ id, sender, channel, topic, text, subscribers });
  }

  sendDirectly(id: number, sender: string, others: readonly string[], text: ModelText) {
    this.messages.push({ id, sender, people: new Set([sender, ...others]), text, subscribers: new Map() });
  }

  delete(id: number) {
    this.messages.splice(
      this.messages.findIndex((message) => message.id === id),
      1,
    );
  }

  /** Moves a message and, depending on the mode, others of its topic that the mover can access. */
  move(mover: string, moved: ModelMessage, channel: string, topic: string, mode: string) {
    const { id, ...from } = moved;
    const movedMessages = this.reachable(mover).filter(
      (other) =>
        other.id === id ||
        (other.channel === from.channel &&
          other.topic === from.topic &&
          (mode === "change_all" || (mode === "change_later" && other.id > id))),
    );
    const subscribersAtMove = new Set(this.channels.get(channel)?.subscribers);
    const changesChannel = channel !== from.channel;
    const changes: Partial<ModelMessage> = { channel, topic, ...(changesChannel && { subscribersAtMove }) };
    for (const message of movedMessages) Object.assign(message, changes);
  }

  /** Who has received a message, given its current channel. */
  receivers = ({ channel, people, subscribers }: ModelMessage): ReadonlySet<string> =>
    (channel === undefined ? people : subscribers.get(channel)) ?? new Set();

  /** Marks a message as read or unread. Without a change nothing is recorded, so that a later move can still change it. */
  mark(reader: string, message: ModelMessage, read: boolean) {
    if (this.isRead(reader, message) !== read) this.marks.set(`${reader} ${message.id}`, read);
  }
  markAll(reader: string) {
    for (const { id } of this.messages) this.marks.set(`${reader} ${id}`, true);
  }
  star = (reader: string, id: number, on: boolean) =>
    on ? this.stars.add(`${reader} ${id}`) : this.stars.delete(`${reader} ${id}`);

  mayRead(reader: string, channel: string): boolean {
    const found = this.channels.get(channel);
    return found !== undefined && (found.isPublic || found.subscribers.has(reader));
  }

  /** Messages that a reader can fetch by their IDs. */
  reachable = (reader: string) => this.messages.filter((message) => this.isReachable(reader, message));

  flagsOf(reader: string, message: ModelMessage): string[] {
    return [
      ...(this.isRead(reader, message) ? ["read"] : []),
      ...(this.stars.has(`${reader} ${message.id}`) ? ["starred"] : []),
      ...(this.isMentioned(reader, message, reader) ? ["mentioned"] : []),
      ...(this.isMentioned(reader, message, everyone) ? ["stream_wildcard_mentioned"] : []),
      ...(this.receivers(message).has(reader) ? [] : ["historical"]),
      ...(this.isMentioned(reader, message, everyone) ? ["wildcard_mentioned"] : []),
    ];
  }

  /** Whether a message mentions a reader `as` their name, or as `everyone`. */
  private isMentioned = (reader: string, message: ModelMessage, as: string) =>
    message.text.mentions === as &&
    this.receivers(message).has(reader) &&
    (as !== everyone || message.channel !== undefined);

  /** The page that a request should return; undefined if it names a channel that the reader may not read. */
  page(reader: string, narrow: ModelNarrow, range: ModelRange) {
    if (narrow.channel !== undefined && !this.mayRead(reader, narrow.channel)) return undefined;
    const isPersonal = narrow.starred || narrow.unread || narrow.direct || narrow.mentioned;
    const withHistory = narrow.channel !== undefined && !isPersonal;
    const matching = this.matching(reader, narrow, withHistory);
    const anchor = this.anchorOf(reader, narrow, range.anchor);
    const older = anchor === 0 ? [] : matching.filter(({ id }) => id < anchor);
    const newer = anchor === newest ? [] : matching.filter(({ id }) => id > anchor);
    const [first, last] = [range.before === 0 ? [] : older.slice(-range.before), newer.slice(0, range.after)];
    const exact = matching.filter(({ id }) => id === anchor);
    return {
      anchor,
      messages: [...first, ...exact, ...last].map((message) => ({
        id: message.id,
        flags: this.flagsOf(reader, message),
        channel: message.channel,
        topic: message.topic ?? "",
        text: message.text,
      })),
      found_anchor: exact.length === 1,
      found_oldest: anchor === 0 || first.length < range.before,
      found_newest: anchor === newest || last.length < range.after,
    };
  }

  private anchorOf(reader: string, narrow: ModelNarrow, anchor: ModelRange["anchor"]): number {
    if (anchor === "newest") return newest;
    if (anchor === "oldest") return 0;
    if (anchor !== "first_unread") return anchor;
    return this.matching(reader, narrow, false).find((message) => !this.isRead(reader, message))?.id ?? newest;
  }

  private matching(reader: string, narrow: ModelNarrow, withHistory: boolean): ModelMessage[] {
    return this.reachable(reader).filter(
      (message) =>
        (withHistory || narrow.starred || narrow.unread || this.receivers(message).has(reader)) &&
        (narrow.channel === undefined || message.channel === narrow.channel) &&
        (narrow.topic === undefined || message.topic === narrow.topic) &&
        (narrow.sender === undefined || message.sender === narrow.sender) &&
        (!narrow.direct || message.people !== undefined) &&
        (!narrow.starred || this.stars.has(`${reader} ${message.id}`)) &&
        (!narrow.unread || !this.isRead(reader, message)) &&
        (!narrow.mentioned || [reader, everyone].some((as) => this.isMentioned(reader, message, as))) &&
        (narrow.search === undefined || [...message.text.words, message.topic].includes(narrow.search)),
    );
  }

  /** Whether a reader can fetch a message by its ID. */
  private isReachable(reader: string, message: ModelMessage): boolean {
    const { channel } = message;
    const hasReceived = this.receivers(message).has(reader);
    if (channel === undefined) return hasReceived;
    const isOpen = this.channels.get(channel)?.isPublic || message.subscribersAtMove?.has(reader);
    return this.mayRead(reader, channel) && (isOpen === true || hasReceived);
  }

  /** Ends a subscription. What was unread in the channel is read from then on. */
  leave(reader: string, channel: string) {
    for (const message of this.messages) if (message.channel === channel) this.mark(reader, message, true);
    this.channels.get(channel)?.subscribers.delete(reader);
  }

  private isRead = (reader: string, message: ModelMessage): boolean =>
    (message.channel !== undefined && this.channels.get(message.channel)?.subscribers.has(reader) !== true) ||
    (this.marks.get(`${reader} ${message.id}`) ?? !this.receivers(message).has(reader));
}
