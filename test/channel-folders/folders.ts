import { unique } from "../support/unique.ts";
import { aPerson, type Person } from "../support/world.ts";

/** Helpers for tests of channel folders. */

export const create = (person: Person, params: Record<string, unknown> = {}) =>
  person.call("POST", "/channel_folders/create", { name: unique("folder"), ...params });

export const patch = (person: Person, id: number, params: Record<string, unknown>) =>
  person.call("PATCH", `/channel_folders/${id}`, params);

export const foldersFor = async (person: Person, { includeArchived = false } = {}): Promise<{ id: number }[]> =>
  (await person.call("GET", "/channel_folders", { include_archived: includeArchived })).body.channel_folders;

export const adminAndMember = async () =>
  [await aPerson("Prospero", { role: "administrator" }), await aPerson("Miranda")] as [Person, Person];
