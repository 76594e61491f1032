import {
  exactly,
  int,
  lastSecond,
  list,
  number,
  object,
  oneOf,
  optional,
  string,
  text,
  type Value,
} from "../http/params.ts";
import { type Draft, draftTypes } from "../store/drafts.ts";

/** A draft as clients send it. */
export const draftParam = () =>
  object({
    type: oneOf(draftTypes),
    to: list(int(), { max: 200 }),
    topic: text(),
    content: text(),
    timestamp: optional(number({ max: lastSecond })),
  });
export type SentDraft = Value<ReturnType<typeof draftParam>>;

/** The record of a draft (companion reference, C). */
export const draftObject = exactly({
  id: int(),
  type: oneOf(draftTypes),
  to: list(int()),
  topic: string(),
  content: text(),
  timestamp: int(),
});

export const wireDraft = ({ id, type, to, topic, content, timestamp }: Draft): Value<typeof draftObject> => ({
  id,
  type,
  to,
  topic,
  content,
  timestamp,
});
