import { getItem } from "../table/reads.ts";
import { update, type Write } from "../table/writes.ts";

/** Clients were told of all users whose waiting period, of this length, ended until then. */
interface ToldEnds {
  /** UNIX seconds. */
  until: number;
  days: number;
}

const key = { pk: "WAITINGPERIODS", sk: "TOLD" };

export const findToldEnds = () => getItem<ToldEnds>(key);

/** On the condition that no other run has told clients meanwhile. */
export const setToldEnds = (before: ToldEnds | undefined, after: ToldEnds): Write =>
  update(key, { set: { ...after } }, { equals: { until: before?.until } });
