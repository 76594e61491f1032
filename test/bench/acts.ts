import type { Act } from "./act.ts";
import { channelActs } from "./acts-channels.ts";
import { messageActs } from "./acts-messages.ts";
import { organizationActs } from "./acts-organization.ts";
import { ownActs } from "./acts-own.ts";
import { peopleActs } from "./acts-people.ts";

/** One example of each endpoint at least, in an order in which each finds what it needs. */
export const acts: readonly Act[] = [...messageActs, ...ownActs, ...channelActs, ...peopleActs, ...organizationActs];
