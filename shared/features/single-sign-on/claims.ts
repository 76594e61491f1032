/** What a provider says of somebody. */
export interface Claims {
  issuer: string;
  /** The provider's own, unchanging name for the person. */
  subject: string;
  email?: string | undefined;
  /** Whether the provider says that the address is that person's. */
  emailVerified: boolean;
  /** The names by which the person may be called, the best first. */
  names: readonly string[];
  /** The person's groups at the provider; absent if it has not said which. */
  groups?: readonly string[] | undefined;
}
