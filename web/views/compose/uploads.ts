import { signal } from "@preact/signals";
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
