import { getItem } from "./table.ts";
import { put, type Write } from "./writes.ts";

/** Up to where the log has been counted. */
interface Counted {
  place: number;
}

const key = { pk: "CHANNELTRAFFIC", sk: "COUNTED" };

/** The place in the log up to which messages have been counted; 0 before the first time. */
export const findCountedPlace = async (): Promise<number> =>
  (await getItem<Counted>(key, { consistent: true }))?.place ?? 0;

/** Moves the place on; fails its transaction when somebody else has counted meanwhile. */
export const moveCountedPlace = (from: number, to: number): Write =>
  put({ ...key, place: to }, from === 0 ? { exists: false } : { equals: { place: from } });
