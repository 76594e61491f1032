/**
 * What readers should see, said as simply as can be: every message keeps who received it, every reader what they marked.
 * No index, no period and no segment occurs here; the fleet must agree all the same.
 */

export interface ModelMessage {
  id: number;
  sender: string;
  /** Of a channel message. */
  channel?: string;
  topic?: string;
  /** Of a direct message: all participants. */
  people?: ReadonlySet<string>;
  receivers: ReadonlySet<string>;
}

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

  sendToChannel(id: number, sender: string, channel: string, topic: string) {
    const receivers = new Set(this.channels.get(channel)?.subscribers);
    this.messages.push({ id, sender, channel, topic, receivers });
  }

  sendDirectly(id: number, sender: string, others: readonly string[]) {
    const people = new Set([sender, ...others]);
    this.messages.push({ id, sender, people, receivers: people });
  }

  mark = (reader: string, id: number, read: boolean) => this.marks.set(`${reader} ${id}`, read);
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
      ...(message.receivers.has(reader) ? [] : ["historical"]),
    ];
  }

  /** The page that a request should get; undefined when it names a channel that the reader may not read. */
  page(reader: string, narrow: ModelNarrow, range: ModelRange) {
    if (narrow.channel !== undefined && !this.mayRead(reader, narrow.channel)) return undefined;
    const isOwn = narrow.starred || narrow.unread || narrow.direct;
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
        (withHistory || narrow.starred || message.receivers.has(reader)) &&
        (narrow.channel === undefined || message.channel === narrow.channel) &&
        (narrow.topic === undefined || message.topic === narrow.topic) &&
        (narrow.sender === undefined || message.sender === narrow.sender) &&
        (!narrow.direct || message.people !== undefined) &&
        (!narrow.starred || this.stars.has(`${reader} ${message.id}`)) &&
        (!narrow.unread || !this.isRead(reader, message)),
    );
  }

  private isReachable(reader: string, { channel, receivers }: ModelMessage): boolean {
    if (channel === undefined) return receivers.has(reader);
    return this.mayRead(reader, channel) && (this.channels.get(channel)?.isPublic || receivers.has(reader));
  }

  private isRead = (reader: string, { id, receivers }: ModelMessage): boolean =>
    this.marks.get(`${reader} ${id}`) ?? !receivers.has(reader);
}
