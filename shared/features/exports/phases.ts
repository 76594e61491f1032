import { assemblePhase } from "./assemble.ts";
import type { Phase } from "./page.ts";
import { channelsPhase } from "./tables/channels.ts";
import { avatarsPhase, emojiPhase, iconsPhase, uploadsPhase } from "./tables/files.ts";
import { messagesPhase } from "./tables/messages.ts";
import { beginningPhase, foldersPhase, groupsPhase, realmPhase } from "./tables/organization.ts";
import { usersPhase } from "./tables/people.ts";
import { privateDataPhase } from "./tables/private-data.ts";

/** The phases of an archive in their order, in which rows refer only to rows of earlier ones; a cursor names one by its index. */
export const phases: readonly Phase[] = [
  beginningPhase,
  groupsPhase,
  foldersPhase,
  channelsPhase,
  realmPhase,
  usersPhase,
  privateDataPhase,
  messagesPhase,
  uploadsPhase,
  avatarsPhase,
  emojiPhase,
  iconsPhase,
];

/** The phase in which the files that consist of lists are written. It begins with a new step, so that the lists are stored. */
export const lastPhase = phases.length;
export const phaseAt = (index: number): Phase | undefined => [...phases, assemblePhase][index];
