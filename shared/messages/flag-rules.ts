import { badRequest } from "../errors.ts";
import { type EditableFlag, editableFlags, knownFlags } from "./flags.ts";

/** A flag that clients may change; BAD_REQUEST tells an unknown flag from one that only the server sets. */
export function checkEditableFlag(flag: string): EditableFlag {
  const editable = editableFlags.find((known) => known === flag);
  if (editable) return editable;
  throw badRequest(
    knownFlags.some((known) => known === flag) ? `Flag not editable: '${flag}'` : `Invalid flag: '${flag}'`,
  );
}
