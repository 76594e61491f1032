import { bool, int, mapOf, nullable, optional, string } from "../schema/params.ts";

/** Where a bot sends and listens unless it says otherwise: channels by name, empty for none. */
export const defaultsParams = {
  default_sending_stream: optional(string()),
  default_events_register_stream: optional(string()),
  default_all_public_streams: optional(bool()),
};

export const defaultsReturns = {
  default_sending_stream: nullable(string()),
  default_events_register_stream: nullable(string()),
  default_all_public_streams: bool(),
};

/** What a bot's program is configured with. */
export const configParam = () => mapOf(string({ max: 1000 }), { max: 50 });

export const newBotReturns = { user_id: int(), api_key: string(), avatar_url: string(), ...defaultsReturns };
