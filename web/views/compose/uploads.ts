import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { perSession, sessionSignal } from "../../session/session.ts";
import { tryTo } from "../../session/toasts.ts";

/** The files that are being uploaded for texts. */

export interface Uploading {
  id: number;
  /** What they are uploaded for (`Written`). */
  writtenId: string;
  name: string;
  /** The fraction that was uploaded, 0 to 1. */
  progress: number;
  cancel: AbortController;
}

export const uploads = sessionSignal<readonly Uploading[]>([]);
const ids = perSession(() => ({ last: 0 }));

/** Uploads files for a text; `insert` gets the link to each. */
export function uploadFor(writtenId: string, files: Iterable<File>, insert: (link: string) => void): void {
  for (const file of files) {
    const cancel = new AbortController();
    const added: Uploading = { id: ++ids().last, writtenId, name: file.name, progress: 0, cancel };
    uploads.value = [...uploads.peek(), added];
    const showProgress = (progress: number) => {
      uploads.value = uploads.peek().map((each) => (each.id === added.id ? { ...each, progress } : each));
    };
    void tryTo(async () => {
      const upload = (await import("../../session/actions/upload-file.ts")).uploadFile;
      insert(await upload(file, showProgress, cancel.signal));
    }).finally(() => {
      uploads.value = uploads.peek().filter(({ id }) => id !== added.id);
    });
  }
}

/** Whether something of the page itself is being dragged. The browser may offer a picture as a file. */
let isOwnDrag = false;
addEventListener("dragstart", () => {
  isOwnDrag = true;
});
// There is no `dragend` if what was dragged has been removed.
for (const type of ["dragend", "pointerdown"])
  addEventListener(type, () => {
    isOwnDrag = false;
  });

/** Whether files from elsewhere are dragged. A field for a file takes them itself. */
const bringsFiles = ({ dataTransfer, target }: DragEvent) =>
  !isOwnDrag &&
  dataTransfer?.types.includes("Files") === true &&
  !(target instanceof Element && target.closest("input[type=file]"));

// The browser would leave the page and show the file where nothing takes it.
addEventListener("dragover", (event) => {
  if (!bringsFiles(event)) return;
  event.preventDefault();
  if (event.dataTransfer) event.dataTransfer.dropEffect = "none";
});
addEventListener("drop", (event) => bringsFiles(event) && event.preventDefault());

/**
 * Takes the files that the user drops on an element; without one, those that are dropped on the page and on no other such element.
 * Returns whether files are being dragged over it.
 */
export function useFileDrop(onFiles: (files: Iterable<File>) => void, within?: RefObject<HTMLElement | null>): boolean {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  // At once: a drop before the next frame would be lost.
  useLayoutEffect(() => {
    const listening = new AbortController();
    const options = { signal: listening.signal };
    // A file that is dropped on a dialog, or on the editor of another message, is not meant for this one.
    const isForThis = (event: DragEvent) =>
      bringsFiles(event) &&
      event.target instanceof Element &&
      (within
        ? within.current?.contains(event.target)
        : !document.querySelector("dialog[open]") && !event.target.closest(".edit-form")) === true;
    addEventListener(
      "dragover",
      (event) => {
        const isTaken = isForThis(event);
        setOver(isTaken);
        if (isTaken && event.dataTransfer) event.dataTransfer.dropEffect = "copy";
      },
      options,
    );
    addEventListener("dragleave", ({ relatedTarget }) => relatedTarget === null && setOver(false), options);
    addEventListener(
      "drop",
      (event) => {
        setOver(false);
        if (isForThis(event)) take.current(event.dataTransfer?.files ?? []);
      },
      options,
    );
    return () => listening.abort();
  }, []);
  return isOver;
}
