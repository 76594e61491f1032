import { limits } from "../../base/limits.ts";
import { dayOf } from "../../core/channels/traffic.ts";
import type { Topic } from "../../store/channels/topics.ts";
import { UniqueNames } from "./names.ts";
import type { PlannedChannel } from "./plan.ts";

/** The topics of channels in which messages have threads: each thread becomes one, and what is outside of threads another. */
export class ChannelTopics {
  readonly #mainTopic: string;
  readonly #names = new Map<number, UniqueNames>();
  readonly #threads = new Map<string, string>();
  /** By channel, and by the topic's name in lower case. */
  readonly #topics = new Map<number, Map<string, Topic>>();

  constructor(mainTopic: string) {
    this.#mainTopic = mainTopic;
  }

  /**
   * The topic of a thread, which has this number in its channel. The first call names it: by the title, or by the day on which it
   * began, in UNIX seconds.
   */
  ofThread(channelId: number, thread: number, begunAt: number, title: () => string): string {
    const known = this.findThread(channelId, thread);
    if (known !== undefined) return known;
    const date = new Date(begunAt * 1000);
    const day = Number.isNaN(date.getTime()) ? "" : ` of ${date.toISOString().slice(0, 10)}`;
    const names = this.#names.get(channelId) ?? new UniqueNames([this.#mainTopic.toLowerCase()]);
    this.#names.set(channelId, names);
    const name = names.take(title() || `Thread${day}`, limits.topicLength);
    this.#threads.set(`${channelId}|${thread}`, name);
    return name;
  }

  findThread = (channelId: number, thread: number): string | undefined => this.#threads.get(`${channelId}|${thread}`);

  /** Counts a message that was sent `at`, in UNIX seconds, in its channel and topic. */
  count(
    { channel, stats }: PlannedChannel,
    name: string,
    { id, at, now }: { id: number; at: number; now: number },
  ): void {
    stats.firstMessageId ??= id;
    stats.lastMessageAt = at;
    const day = dayOf(at);
    // Older ones are never shown.
    if (day >= dayOf(now) - 7) stats[`day${day}`] = (stats[`day${day}`] ?? 0) + 1;
    const topics = this.#topics.get(channel.id) ?? new Map<string, Topic>();
    this.#topics.set(channel.id, topics.set(name.toLowerCase(), { channelId: channel.id, name, maxId: id }));
  }

  list = (): Topic[] => [...this.#topics.values()].flatMap((topics) => [...topics.values()]);
}

/** The first line of a text without markup. */
export function titleOf(markdown: string): string {
  const plain = markdown
    .replace(/^\/me /, "")
    .replace(/@_?\*\*([^*|]+)(?:\|\d+)?\*\*/g, "@$1")
    .replace(/#\*\*([^*]+)\*\*/g, "#$1")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[\p{Cc}\p{Cs}\p{Cn}]/gu, (character) => (/\s/.test(character) ? "\n" : ""))
    .replace(/^[>#*`\s✔-]+|[*`]+/gm, "");
  return (
    plain
      .split("\n")
      .map((line) => line.replace(/\s+/g, " ").trim())
      .find((line) => line !== "") ?? ""
  );
}
