/** An incoming integration, as its declaration says. */
export interface IntegrationEntry {
  name: string;
  title: string;
  summary: string;
  /** Markdown. */
  setUp: readonly string[];
  /** The names of its events, in which `*` stands for any text; empty if it has none. */
  events: readonly string[];
  isSigned: boolean;
  /** The path of its logo, in a square of 24 by 24. */
  logo?: string;
  /** Whether the bot's owner writes its messages as templates. */
  hasTemplate: boolean;
}

/** The build fills this in from the integrations' declarations. */
declare const SKEIN_INTEGRATIONS: string;

export const integrations: readonly IntegrationEntry[] = JSON.parse(SKEIN_INTEGRATIONS);
