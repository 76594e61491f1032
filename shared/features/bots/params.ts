import { bool, int, mapOf, nullable, optional, string } from "../../base/schema/params.ts";

/**
 * A bot's default channels for sending and for events, by name (empty for none), and whether it receives all public channels'
 * events.
 */
export const defaultStreamParams = {
  default_sending_stream: optional(string()),
  default_events_register_stream: optional(string()),
  default_all_public_streams: optional(bool()),
};

export const defaultStreamReturns = {
  default_sending_stream: nullable(string()),
  default_events_register_stream: nullable(string()),
  default_all_public_streams: bool(),
};

export const maxConfigEntries = 50;
export const maxConfigValueLength = 1000;

/** A bot's `config_data`, the configuration of its program. */
export const configParam = () => mapOf(string({ max: maxConfigValueLength }), { max: maxConfigEntries });

export const newBotReturns = { user_id: int(), api_key: string(), avatar_url: string(), ...defaultStreamReturns };
