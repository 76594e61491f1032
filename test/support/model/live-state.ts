import { isDeepStrictEqual } from "node:util";
import { type Listener, listen } from "../listener.ts";
import { isLocal, type Person } from "../world.ts";
import { applyEvent, type State, unreadOf, withoutPersonalFields } from "./apply-events.ts";

/** A client that registers once, and from then on knows only what events say. */

/** What a client registers with that knows everything. */
const currentClient = {
  client_capabilities: {
    notification_settings_null: true,
    bulk_message_deletion: true,
    user_settings_object: true,
    archived_channels: true,
    include_deactivated_groups: true,
    empty_topic_name: true,
    linkifier_url_template: true,
    simplified_presence_events: true,
  },
  apply_markdown: true,
  client_gravatar: false,
  slim_presence: true,
  include_subscribers: true,
};
type ClientOptions = Record<string, unknown>;

/** What a client registers with that knows no capability: it is sent the older events. */
export const oldestClient: ClientOptions = { apply_markdown: true, client_gravatar: false, include_subscribers: true };

const hasBit = (bits: number, index: number) => (bits >> index) % 2 === 1;
const capabilityNames = Object.keys(currentClient.client_capabilities);

/** A client with some of the capabilities, by bits. */
export const clientWith = (bits: number): ClientOptions => ({
  ...currentClient,
  client_capabilities: Object.fromEntries(capabilityNames.map((name, index) => [name, hasBit(bits, index)])),
  // Both are about the form of presences.
  slim_presence: hasBit(bits, capabilityNames.indexOf("simplified_presence_events")),
});

/** Numbers that grow with what others do and of which a client sees only a part: presences, and messages of the organization. */
const growing = ["presence_last_update_id", "max_message_id"];
/** Fields of the queue, the time, and what a client evaluates itself: what its role may do by the organization's permissions. */
const notCompared = [
  ...["queue_id", "last_event_id", "server_timestamp"],
  ...["can_create_streams", "can_create_public_streams", "can_create_private_streams", "can_create_web_public_streams"],
  ...["can_subscribe_other_users", "can_invite_others_to_realm"],
];

/** The keys of lists whose order says nothing. */
const keys = [
  "topic_key",
  ...["stream_id", "user_id", "id", "reminder_id", "scheduled_message_id", "fragment", "domain", "max_message_id"],
];

/** A value with the order of lists and keys taken away where it says nothing, so that two can be compared and read. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(plain);
    const [first] = items as any[];
    const key = keys.find((name) => first?.[name] !== undefined);
    if (key) return Object.fromEntries(items.map((item: any) => [item[key], item]));
    return items.sort((a: any, b: any) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (value instanceof Map) return plain(Object.fromEntries(value));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)]));
}

/** Presences without their times: while a report holds, the older form's go with the clock. */
const withoutTimes = (presences: object) =>
  JSON.parse(JSON.stringify(presences, (name, value) => (name === "timestamp" ? undefined : value)));

/** Everything that a registration returns, but for `notCompared` and `except`. */
function comparable({ unread_msgs, unread, presences, ...state }: State, except: readonly string[]) {
  const leftOut = [...notCompared, ...growing, ...except];
  const fields = Object.entries(state).filter(([name]) => !leftOut.includes(name));
  return plain({
    ...Object.fromEntries(fields),
    user_topics: state.user_topics.map((topic: any) => ({
      ...topic,
      topic_key: `${topic.stream_id} ${topic.topic_name.toLowerCase()}`,
    })),
    // A deployed fleet has people of other files: with more than 100, there are no events about presence.
    ...(presences && isLocal() && { presences: withoutTimes(presences) }),
    unread,
  }) as Record<string, unknown>;
}

/** In what two values differ: the path, and what is there in each. */
function differences(live: any, renewed: any, path = ""): Record<string, { live: unknown; renewed: unknown }> {
  if (isDeepStrictEqual(live, renewed)) return {};
  const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(live) || !isObject(renewed)) return { [path]: { live, renewed } };
  const names = new Set([...Object.keys(live), ...Object.keys(renewed)]);
  return Object.assign({}, ...[...names].map((name) => differences(live[name], renewed[name], `${path}/${name}`)));
}

/** A channel that went out of sight is a new one for a client when it appears again: it has forgotten the former subscription. */
function forgetFormer(renewed: State, live: State): void {
  const forgotten = renewed.unsubscribed.filter(({ stream_id }: any) =>
    live.never_subscribed.some((channel: any) => channel.stream_id === stream_id),
  );
  renewed.unsubscribed = renewed.unsubscribed.filter((channel: unknown) => !forgotten.includes(channel));
  renewed.never_subscribed.push(...forgotten.map(withoutPersonalFields));
}

export class LiveState {
  private readonly person: Person;
  private readonly listener: Listener;
  private readonly state: State;
  private readonly options: ClientOptions;

  private constructor(person: Person, listener: Listener, options: ClientOptions) {
    this.person = person;
    this.options = options;
    this.listener = listener;
    this.state = {
      ...structuredClone(listener.state),
      unread: unreadOf(listener.state),
      acceptsPartialUserList: (options.client_capabilities as any)?.user_list_incomplete === true,
    };
  }

  static async register(person: Person, options: ClientOptions = currentClient): Promise<LiveState> {
    return new LiveState(person, await listen(person, options), options);
  }

  /** All events so far. */
  get received(): readonly object[] {
    return this.listener.received;
  }

  private async catchUp(): Promise<void> {
    for (const event of await this.listener.poll()) applyEvent(this.state, event);
  }

  /** Applies the events so far; returns in what that differs from what a new registration says, but for some fields. */
  async differencesToFresh({
    except = [] as string[],
    patienceMs = isLocal() ? 10_000 : 20_000,
  } = {}): Promise<object> {
    // Jobs may still be at work.
    for (const end = Date.now() + patienceMs; ; ) {
      const fresh = await LiveState.register(this.person, this.options);
      await Promise.all([this.catchUp(), fresh.catchUp()]);
      await this.person.do("DELETE", "/events", { queue_id: fresh.listener.queueId });
      forgetFormer(fresh.state, this.state);
      const tooHigh = growing.filter((name) => this.state[name] > fresh.state[name]);
      const found = {
        ...differences(comparable(this.state, except), comparable(fresh.state, except), this.person.name),
        ...Object.fromEntries(tooHigh.map((name) => [name, { live: this.state[name], renewed: fresh.state[name] }])),
      };
      if (Object.keys(found).length === 0 || Date.now() > end) return found;
    }
  }
}
