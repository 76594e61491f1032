import { badRequest } from "../../errors.ts";
import { type EditableFlag, editableFlags, knownFlags } from "./flags.ts";

/**
 * Returns a flag that clients may change. Throws a 400 for an unknown flag, and another 400 for one that only the server sets.
 */
export function checkEditableFlag(flag: string): EditableFlag {
  const editable = editableFlags.find((candidate) => candidate === flag);
  if (editable) return editable;
  throw badRequest(
    knownFlags.some((known) => known === flag) ? `Flag not editable: '${flag}'` : `Invalid flag: '${flag}'`,
  );
}
