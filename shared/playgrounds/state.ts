import { playgroundsKey, readShortList } from "../store/short-lists.ts";
import { wirePlayground } from "./wire.ts";

/** What a client that registers is told of code playgrounds. */
export const playgroundsState = async () => ({
  realm_playgrounds: (await readShortList(playgroundsKey)).entries.map(wirePlayground),
});
