import type { RenderBudget } from "./budget.ts";
import type { UploadMetadata } from "./context.ts";
import { atomicElement, Element } from "./element.ts";
import { descendants } from "./layout.ts";
import type { RenderState } from "./state.ts";
import { splitUrl } from "./urls.ts";

interface FoundLink {
  link: Element;
  href: string;
  parent: Element;
  grandparent: Element | undefined;
  isQuoted: boolean;
}

// Content with more links than this gets no previews, as in Zulip.
const maxLinksForPreviews = 24;
const uploads = "/user_uploads/";

/** Rendering step: collects the uploaded files that the content links to, and adds their previews. */
export function collectFilesAndAddPreviews(state: RenderState): void {
  collectFiles(state);
  if (state.inputs.uploads.size > 0) addPreviews(state, state.inputs.uploads);
}

function collectFiles(state: RenderState): void {
  for (const element of descendants(state.root)) {
    const href = element.tag === "a" ? element.attributes.href : undefined;
    if (!href?.includes("user_uploads/")) continue;
    const parts = splitUrl(href);
    const isOwnHost = parts?.host === "" || parts?.host === splitUrl(state.inputs.realmUrl ?? "")?.host;
    const path = parts?.path.startsWith("/") ? parts.path : `/${parts?.path}`;
    if (isOwnHost && path.startsWith(uploads)) state.uploadPaths.add(path);
  }
}

/**
 * Adds a preview of each linked image, video or audio file: below the paragraph, or at the end of the list item, that contains
 * the link. Files that are linked only in quotes get none.
 */
function addPreviews(state: RenderState, files: ReadonlyMap<string, UploadMetadata>): void {
  const links = [...findLinks(state.root, undefined, undefined, false)];
  const placed = new Map<Element, number>();
  const unquotedUrls = new Set(links.filter((found) => !found.isQuoted).map((found) => found.href));
  if (unquotedUrls.size > maxLinksForPreviews) return;
  for (const found of links) {
    const { href } = found;
    const file = files.get(href);
    // Each file gets one preview, at its first link.
    if (!unquotedUrls.delete(href) || !file) continue;
    const preview = makePreview(state, href, file, titleOf(found.link));
    if (!preview) continue;
    if (!state.inputs.previewsMedia && preview.tag !== "audio") continue;
    insertPreview(state.root, found, preview, placed);
  }
}

function* findLinks(
  element: Element,
  parent: Element | undefined,
  grandparent: Element | undefined,
  isQuoted: boolean,
): Iterable<FoundLink> {
  const { href } = element.attributes;
  if (element.tag === "a" && parent && href !== undefined) {
    yield { link: element, href, parent, grandparent, isQuoted };
  }
  for (const child of element.children) {
    yield* findLinks(child, element, parent, isQuoted || element.tag === "blockquote");
  }
}

/** The link's text, unless it repeats the URL. */
function titleOf(link: Element): string | undefined {
  return link.text === "" || link.text === link.attributes.href ? undefined : link.text;
}

function makePreview(
  { budget }: RenderState,
  href: string,
  file: UploadMetadata,
  title: string | undefined,
): Element | undefined {
  const path = href.slice(uploads.length);
  const link = { href, ...(title !== undefined && { title }) };
  if (file.contentType.startsWith("image/")) {
    if (file.width === undefined || file.height === undefined) return undefined;
    const size = `${file.width}x${file.height}`;
    const type = { "data-original-content-type": file.contentType, "data-original-dimensions": size };
    const image: Record<string, string> = file.thumbnailPending
      ? { ...type, class: "image-loading-placeholder", src: "/static/images/loading/loader-black.svg" }
      : { ...type, src: `${uploads}thumbnail/${path}/840x560.webp` };
    return frame(budget, "message_inline_image", link, new Element(budget, "img", image));
  }
  if (/^video\/(?:mp4|webm|quicktime)$/.test(file.contentType)) {
    const video = new Element(budget, "video", { preload: "metadata", src: href });
    return frame(budget, "message_inline_image message_inline_video", link, video);
  }
  if (!file.contentType.startsWith("audio/")) return undefined;
  const name = title ?? path.slice(path.lastIndexOf("/") + 1);
  return new Element(budget, "audio", { controls: "controls", preload: "metadata", src: href, title: name });
}

function frame(budget: RenderBudget, className: string, link: Record<string, string>, content: Element): Element {
  const box = new Element(budget, "div", { class: className });
  const anchor = atomicElement(budget, "a", link, "");
  anchor.children.push(content);
  box.children.push(anchor);
  return box;
}

/** `placed` counts the previews below each paragraph, so that they are in the order of its links. */
function insertPreview(
  root: Element,
  { link, parent, grandparent }: FoundLink,
  preview: Element,
  placed: Map<Element, number>,
): void {
  if (preview.tag === "audio") {
    // The audio player replaces its link.
    preview.tail = link.tail;
    parent.children[parent.children.indexOf(link)] = preview;
  } else if (parent.tag === "p" && grandparent) {
    const before = placed.get(parent) ?? 0;
    grandparent.children.splice(grandparent.children.indexOf(parent) + 1 + before, 0, preview);
    placed.set(parent, before + 1);
  } else {
    (parent.tag === "li" ? parent : root).children.push(preview);
  }
}
