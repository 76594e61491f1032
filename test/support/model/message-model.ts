/**
 * What readers should see, said as simply as can be: every message keeps who was where when it was sent, every reader
 * what they marked. No index, no period and no segment occurs here; the fleet must agree all the same.
 */

/** What a message says: plain words, and whom it calls. */
export interface ModelText {
  words: readonly string[];
  calls?: string | undefined;
}

export interface ModelMessage {
  id: number;
  sender: string;
  text: ModelText;
  /** Of a channel message; moves change them. */
  channel?: string;
  topic?: string;
  /** Of a direct message: all participants. */
  people?: ReadonlySet<string>;
  /** Who was subscribed to each channel when it was sent: whoever was, has received it, wherever it is moved. */
  subscribers: ReadonlyMap<string, ReadonlySet<string>>;
  /** Who was subscribed when it was moved into its channel. */
  welcomed?: ReadonlySet<string>;
}

/** A call of everybody in a channel. */
export const everybody = "all";

export interface ModelChannel {
  isPublic: boolean;
  subscribers: Set<string>;
}

/** Terms of a narrow, of which all must hold. */
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

  /** Moves a message and, as the mode says, others of its topic that the mover can reach. */
  move(mover: string, moved: ModelMessage, channel: string, topic: string, mode: string) {
    const { id, ...from } = moved;
    const chosen = this.reachable(mover).filter(
      (other) =>
        other.id === id ||
        (other.channel === from.channel &&
          other.topic === from.topic &&
          (mode === "change_all" || (mode === "change_later" && other.id > id))),
    );
    const welcomed = new Set(this.channels.get(channel)?.subscribers);
    const arrives = channel !== from.channel;
    for (const message of chosen) Object.assign(message, { channel, topic, ...(arrives && { welcomed }) });
  }

  /** Who has received a message, as it stands now. */
  receivers = ({ channel, people, subscribers }: ModelMessage): ReadonlySet<string> =>
    (channel === undefined ? people : subscribers.get(channel)) ?? new Set();

  /** Marks a message as read or unread; what is so already stays unmarked, and may change when it is moved. */
  mark(reader: string, message: ModelMessage, read: boolean) {
    if (this.isRead(reader, message) !== read) this.marks.set(`${reader} ${message.id}`, read);
  }
  markAll(reader: string) {
    for (const { id } of this.messages) this.marks.set(`${reader} ${id}`, true);
  }
  star = (reader: string, id: number, on: boolean) =>
    on ? this.stars.add(`${reader} ${id}`) : this.stars.delete(`${reader} ${id}`);

  mayRead(reader: string, channel: string): boolean {
    const known = this.channels.get(channel);
    return known !== undefined && (known.isPublic || known.subscribers.has(reader));
  }

  /** Messages that a reader can get at by their IDs. */
  reachable = (reader: string) => this.messages.filter((message) => this.isReachable(reader, message));

  flagsOf(reader: string, message: ModelMessage): string[] {
    return [
      ...(this.isRead(reader, message) ? ["read"] : []),
      ...(this.stars.has(`${reader} ${message.id}`) ? ["starred"] : []),
      ...(this.isCalled(reader, message, reader) ? ["mentioned"] : []),
      ...(this.isCalled(reader, message, everybody) ? ["stream_wildcard_mentioned"] : []),
      ...(this.receivers(message).has(reader) ? [] : ["historical"]),
      ...(this.isCalled(reader, message, everybody) ? ["wildcard_mentioned"] : []),
    ];
  }

  private isCalled = (reader: string, message: ModelMessage, as: string) =>
    message.text.calls === as &&
    this.receivers(message).has(reader) &&
    (as !== everybody || message.channel !== undefined);

  /** The page that a request should get; undefined when it names a channel that the reader may not read. */
  page(reader: string, narrow: ModelNarrow, range: ModelRange) {
    if (narrow.channel !== undefined && !this.mayRead(reader, narrow.channel)) return undefined;
    const isOwn = narrow.starred || narrow.unread || narrow.direct || narrow.mentioned;
    const withHistory = narrow.channel !== undefined && !isOwn;
    const all = this.matching(reader, narrow, withHistory);
    const anchor = this.anchorOf(reader, narrow, range.anchor);
    const older = anchor === 0 ? [] : all.filter(({ id }) => id < anchor);
    const newer = anchor === newest ? [] : all.filter(({ id }) => id > anchor);
    const [first, last] = [range.before === 0 ? [] : older.slice(-range.before), newer.slice(0, range.after)];
    const exact = all.filter(({ id }) => id === anchor);
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
        (withHistory || narrow.starred || this.receivers(message).has(reader)) &&
        (narrow.channel === undefined || message.channel === narrow.channel) &&
        (narrow.topic === undefined || message.topic === narrow.topic) &&
        (narrow.sender === undefined || message.sender === narrow.sender) &&
        (!narrow.direct || message.people !== undefined) &&
        (!narrow.starred || this.stars.has(`${reader} ${message.id}`)) &&
        (!narrow.unread || !this.isRead(reader, message)) &&
        (!narrow.mentioned || [reader, everybody].some((as) => this.isCalled(reader, message, as))) &&
        (narrow.search === undefined || [...message.text.words, message.topic].includes(narrow.search)),
    );
  }

  private isReachable(reader: string, message: ModelMessage): boolean {
    const { channel } = message;
    const hasReceived = this.receivers(message).has(reader);
    if (channel === undefined) return hasReceived;
    const isOpen = this.channels.get(channel)?.isPublic || message.welcomed?.has(reader);
    return this.mayRead(reader, channel) && (isOpen === true || hasReceived);
  }

  private isRead = (reader: string, message: ModelMessage): boolean =>
    this.marks.get(`${reader} ${message.id}`) ?? !this.receivers(message).has(reader);
}
