import { notFound } from "../../base/errors.ts";
import type { RawReply } from "../../services/http/raw-reply.ts";
import {
  findByExternalId,
  findScimLink,
  listScimLinks,
  type ScimKind,
  type ScimLink,
} from "../../store/users/scim-links.ts";
import { readFilter } from "./filter.ts";
import { idIn, listReply, type Page, type Selection, select } from "./protocol.ts";

/** How resources are found, which is the same for users and groups. */

/** A kind of resources: `Item` is what is stored, `Shown` has it with what the client knows of it. */
interface Resources<Item extends { id: number }, Shown> {
  kind: ScimKind;
  find(id: number): Promise<Item | undefined>;
  /** Undefined for what is hidden from the client. */
  show(item: Item, link: ScimLink | undefined): Shown | undefined;
}

/** What lists need besides, so that only their functions load it. */
interface Listing<Item extends { id: number }, Shown> {
  resources: Resources<Item, Shown>;
  list(): Promise<readonly Item[]>;
  /** The name or address that a filter requires, and the ID of what has it. */
  requiredName(requiredValue: RequiredValue): string | undefined;
  findIdByName(name: string): Promise<number | undefined>;
  toResource(shown: Shown, baseUrl: string): object;
  /** The leading resources that fit into a reply; absent: all of a page do. */
  fitting?(resources: Iterable<object>): object[];
}

/** The value of an attribute that a filter requires. */
type RequiredValue = (path: string) => string | undefined;

export async function findResource<Item extends { id: number }, Shown>(
  { kind, find, show }: Resources<Item, Shown>,
  id: number | undefined,
): Promise<Shown | undefined> {
  if (id === undefined) return undefined;
  const [item, link] = await Promise.all([find(id), findScimLink(kind, id)]);
  return item && show(item, link);
}

/** The resource with an ID from a path, or throws a 404. */
export async function accessResource<Item extends { id: number }, Shown>(
  resources: Resources<Item, Shown>,
  id: string,
): Promise<Shown> {
  const found = await findResource(resources, idIn(id));
  if (!found) throw notFound(`There is no ${resources.kind.toLowerCase()} ${id}`);
  return found;
}

/** The resources that a filter matches. With a name or external ID in the filter, one is read, and otherwise all. */
export async function listResources<Item extends { id: number }, Shown>(
  listing: Listing<Item, Shown>,
  filterText: string | undefined,
  page: Page,
  selection: Selection,
  baseUrl: string,
): Promise<RawReply> {
  const { toResource, fitting } = listing;
  const filter = filterText === undefined ? undefined : readFilter(filterText);
  const found = await findCandidates(listing, (path) => filter?.requiredValue(path));
  const matching = filter ? found.filter((each) => filter.matches(toResource(each, baseUrl))) : found;
  return listReply(matching, page, (each) => select(toResource(each, baseUrl), selection), fitting);
}

async function findCandidates<Item extends { id: number }, Shown>(
  { resources, list, requiredName, findIdByName }: Listing<Item, Shown>,
  requiredValue: RequiredValue,
): Promise<Shown[]> {
  const { kind, show } = resources;
  const name = requiredName(requiredValue);
  const externalId = requiredValue("externalid");
  if (name === undefined && externalId === undefined) {
    const [items, links] = await Promise.all([list(), listScimLinks(kind)]);
    const linkOf = new Map(links.map((link) => [link.id, link]));
    return items.flatMap((item) => show(item, linkOf.get(item.id)) ?? []);
  }
  const id = name === undefined ? await findByExternalId(kind, externalId ?? "") : await findIdByName(name);
  const shown = await findResource(resources, id);
  return shown === undefined ? [] : [shown];
}
