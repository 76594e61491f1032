import type * as z from "zod/mini";
import { isWanted } from "./event-filter.ts";

/**
 * An incoming integration is one file in `services/`, whose name is the integration's in the URL: a declaration and a pure
 * function from a service's payload to a message. Nothing else names it.
 */

/** A request of a service. */
export interface Delivery {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
  /** A parameter of the URL. */
  parameter: (name: string) => string | undefined;
  /** The bot's configuration. */
  config: Readonly<Record<string, string>>;
}

/** What an integration makes of a payload. */
export interface Post {
  /**
   * Replaced by the URL's `topic` if there is one; cut to the maximum length. Where it is not shown as it is, in a direct message for
   * example, it becomes the first line of the message.
   */
  topic: string;
  /** The topic is the same for all that is posted, and says nothing of it. */
  isTopicGeneral?: true;
  /** Markdown. Foreign texts in it are escaped or quoted (`text.ts`). */
  content: string;
  /** The service's name of the event, for `only_events` and `exclude_events`. */
  event?: string;
}

/** A payload that the integration cannot read. The bot's owner is told the reason, once. */
export class UnreadablePayload extends Error {
  override name = "UnreadablePayload";
}

/** An event that neither is posted nor left out on purpose: a new one of the service, say. The bot's owner is told, once. */
export class UnknownEvent extends UnreadablePayload {
  readonly event: string;
  constructor(event: string) {
    super(`there is no event "${event.slice(0, 100)}"`);
    this.event = event;
  }
}

/**
 * The handler of an event, which the payload has in `field`; undefined if the event is left out on purpose. Throws for an event that is
 * missing or unknown.
 */
export function handlerOf<H>(
  event: string,
  field: string,
  handlers: Readonly<Record<string, H>>,
  leavesOut: Readonly<Record<string, string>>,
): H | undefined {
  if (event === "") throw new UnreadablePayload(`the field ${field} is missing`);
  if (Object.hasOwn(handlers, event)) return handlers[event];
  if (isWanted(event, { only: Object.keys(leavesOut), exclude: [] })) return undefined;
  throw new UnknownEvent(event);
}

/** What an event cannot do without; throws if the payload lacks it. */
export function required<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw new UnreadablePayload(`the field ${field} is missing`);
  return value;
}

export interface Integration<S extends z.ZodMiniType = z.ZodMiniType> {
  /** The service's name as people write it. */
  title: string;
  /** The name of its logo in simple-icons (https://simpleicons.org); absent: a neutral one. */
  logo?: string;
  /** One sentence for the documentation: what is posted. */
  summary: string;
  /** The steps in the service, as Markdown. The first step, to create the bot and to copy the URL, is the same for all. */
  setUp: readonly string[];
  /** The events that are posted, as `only_events` names them; absent if the service has none. */
  events?: readonly string[];
  /**
   * Events, as `only_events` names them, that are accepted and not posted, each with the reason. Of an event that is also in `events`,
   * a part is not posted, and the reason says which.
   */
  leavesOut?: Readonly<Record<string, string>>;
  /** Parameters of the URL that only this integration has, each with its meaning. */
  parameters?: Readonly<Record<string, string>>;
  /** Names of the bot's configuration that the integration reads, each with its meaning. */
  configuration?: Readonly<Record<string, string>>;
  /** Whether the last payload is kept, so that a template can be tried out with it. */
  keepsPayload?: true;
  /** The fields that are read. Whatever does not fit is unreadable; other fields are ignored. */
  payload: S;
  /** The ID that a service gives each delivery, and repeats with one that it sends again. */
  deliveryId?: (payload: z.output<S>, delivery: Delivery) => string | undefined;
  /** Whether the service signed the delivery with this secret: the value of `webhook_secret` in the bot's configuration. */
  isSigned?: (delivery: Delivery, secret: string) => boolean;
  /**
   * Whether the service sent the request, where that needs no secret but takes a request; throws if not. Answers what the service asks
   * before it sends events.
   */
  verify?: (payload: z.output<S>, delivery: Delivery) => Promise<void>;
  /** Returns undefined for an event that a chat does not want to see. */
  toPost: (payload: z.output<S>, delivery: Delivery) => Post | undefined;
}

/** Declares an integration. */
export const integration = <S extends z.ZodMiniType>(declaration: Integration<S>): Integration =>
  declaration as unknown as Integration;
