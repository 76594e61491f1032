import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { uploadFile } from "../../actions.ts";
import { tryTo } from "../../toasts.ts";
import type { UnsentMessage } from "../../unsent/unsent-messages.ts";

/** The files that are being uploaded for messages. */

export interface Uploading {
  id: number;
  messageId: string;
  name: string;
  /** The fraction that was uploaded, 0 to 1. */
  progress: number;
  cancel: AbortController;
}

export const uploads = signal<readonly Uploading[]>([]);
let lastUploadId = 0;

/** Uploads files for a message; `insert` gets the link to each. */
export function uploadFor(
  { id: messageId }: UnsentMessage,
  files: Iterable<File>,
  insert: (link: string) => void,
): void {
  for (const file of files) {
    const cancel = new AbortController();
    const added: Uploading = { id: ++lastUploadId, messageId, name: file.name, progress: 0, cancel };
    uploads.value = [...uploads.peek(), added];
    const showProgress = (progress: number) => {
      uploads.value = uploads.peek().map((each) => (each.id === added.id ? { ...each, progress } : each));
    };
    void tryTo(async () => insert(await uploadFile(file, showProgress, cancel.signal))).finally(() => {
      uploads.value = uploads.peek().filter(({ id }) => id !== added.id);
    });
  }
}

/** Takes the files that the user drops anywhere on the page. Returns whether files are being dragged over it. */
export function useFileDrop(onFiles: (files: Iterable<File>) => void): boolean {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  useEffect(() => {
    const listening = new AbortController();
    const options = { signal: listening.signal };
    // A dialog, or a field for a file, takes files of its own.
    const isForMessage = ({ dataTransfer, target }: DragEvent) =>
      dataTransfer?.types.includes("Files") === true &&
      !document.querySelector("dialog[open]") &&
      !(target instanceof Element && target.closest("input[type=file]"));
    addEventListener(
      "dragover",
      (event) => {
        if (!isForMessage(event)) return;
        event.preventDefault();
        setOver(true);
      },
      options,
    );
    addEventListener("dragleave", ({ relatedTarget }) => relatedTarget === null && setOver(false), options);
    addEventListener(
      "drop",
      (event) => {
        setOver(false);
        if (!isForMessage(event)) return;
        event.preventDefault();
        take.current(event.dataTransfer?.files ?? []);
      },
      options,
    );
    return () => listening.abort();
  }, []);
  return isOver;
}
