import type { ComponentChildren, ComponentProps, ComponentType, RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { openDialog } from "../../navigation/page-dialog.ts";
import { EmojiPicker } from "../../parts/emoji/emoji-picker.tsx";
import { Limit } from "../../parts/fields/limit.tsx";
import type { TimeDialog } from "../../parts/fields/time-dialog.tsx";
import { Icon, IconButton } from "../../parts/parts.tsx";
import { realm, settings } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import type { Recipient } from "../../state/recipient.ts";
import { applyFormat, type Format, formats, timeTag } from "./formatting.ts";
import { MessageField } from "./message-field.tsx";
import { isWide, Preview, showsBeside } from "./preview.tsx";
import type { Snippets } from "./snippets.tsx";
import { uploadFor, uploads, useFileDrop } from "./uploads.ts";

/** Where Markdown is written: the text of a message, of an edit, of a scheduled message. */

/** What it opens. Given to it, because what is loaded on demand loads nothing on demand itself. */
export interface WriterDialogs {
  Snippets: ComponentType<ComponentProps<typeof Snippets>>;
  TimeDialog: ComponentType<ComponentProps<typeof TimeDialog>>;
}

/** A text that is being written. Uploads and choices may end when another one has taken its place in the field. */
export interface Written {
  /** Its uploads are known by it. */
  id: string;
  text: string;
  /** Its text now; undefined if nobody writes it any more. */
  latest: () => string | undefined;
  change: (text: string) => void;
  /** Whether the field has this text, or will have it with the next frame. */
  isInField: () => boolean;
}

export const uploadsOf = ({ id }: Written) => uploads.value.filter(({ writtenId }) => writtenId === id);

const titleOf = ({ label, shortcut }: Format) =>
  shortcut ? `${label} (${t("Ctrl")}+${shortcut.replace(/.$/, (key) => key.toUpperCase())})` : label;

const isSubmitKey = (event: KeyboardEvent) =>
  settings.value?.enter_sends ? !event.shiftKey : event.ctrlKey || event.metaKey;

/**
 * Adds the link to a file that was uploaded for a text, after what is selected. What the user does meanwhile goes on: the focus and
 * the selection stay.
 */
function insertLink(written: Written, area: HTMLTextAreaElement | null, link: string): void {
  const latest = written.latest() ?? "";
  // Until the field is rendered, it has the text of before.
  if (!written.isInField() || area?.value !== latest) {
    written.change(`${latest}${link}\n`);
    return;
  }
  const { selectionStart: start, selectionEnd: end } = area;
  area.setRangeText(`${link}\n`, end, end, "end");
  if (start < end) area.setSelectionRange(start, end);
  written.change(area.value);
}

/** Inserts a text at the cursor; at the end if another text has taken the place of this one. */
export function insertInto(written: Written, area: HTMLTextAreaElement | null, insertion: string): void {
  const latest = written.latest() ?? "";
  const field = written.isInField() ? area : null;
  const start = field?.selectionStart ?? latest.length;
  const end = field?.selectionEnd ?? start;
  written.change(latest.slice(0, start) + insertion + latest.slice(end));
  if (field)
    requestAnimationFrame(() => {
      field.focus();
      field.setSelectionRange(start + insertion.length, start + insertion.length);
    });
}

export function Writer({
  written,
  field,
  label,
  describedBy,
  placeholder,
  recipient,
  max,
  dropOn,
  onTyped,
  onSubmit,
  onEscape,
  onEditLast,
  tools,
  tooLong,
  dialogs,
  children,
}: {
  written: Written;
  field: RefObject<HTMLTextAreaElement | null>;
  label: string;
  describedBy?: string;
  placeholder: string;
  /** For whom the completions are. */
  recipient: Recipient;
  /** The maximum number of code points. */
  max: number;
  /** Where files can be dropped. Default: everywhere on the page. */
  dropOn?: RefObject<HTMLElement | null>;
  /** Called with the text after each key. */
  onTyped?: (text: string) => void;
  onSubmit: () => void;
  onEscape: () => void;
  onEditLast?: () => void;
  /** Further tools. */
  tools?: ComponentChildren;
  /** What can be done about a text that is too long. */
  tooLong?: ComponentChildren;
  dialogs: WriterDialogs;
  /** The buttons at the end of the tools. */
  children: ComponentChildren;
}) {
  /** Whether the preview is shown in the place of the text. */
  const [replacesText, setReplacesText] = useState(false);
  const [isPicking, setPicking] = useState(false);
  useEffect(() => setReplacesText(false), [written.id]);
  const { text } = written;
  const isBeside = isWide.value && showsBeside.value;
  const isInstead = !isWide.value && replacesText;
  const insert = (insertion: string) => insertInto(written, field.current, insertion);
  const upload = (files: Iterable<File>) =>
    uploadFor(written.id, files, (link) => insertLink(written, field.current, link));
  const isDropping = useFileDrop(upload, dropOn);
  const chooseTime = () =>
    openDialog((onClose) => (
      <dialogs.TimeDialog
        title={t("Insert a time")}
        mayBePast
        onClose={onClose}
        onPick={async (seconds) => {
          onClose();
          insert(timeTag(seconds));
        }}
      />
    ));
  return (
    <>
      {isDropping && (
        <div class="drop-target">
          <strong>{t("Drop the files to add them to the message")}</strong>
        </div>
      )}
      <div class={`compose-text ${isBeside ? "beside" : ""}`}>
        {isInstead || (
          <MessageField
            field={field}
            label={label}
            describedBy={describedBy}
            placeholder={placeholder}
            text={text}
            recipient={recipient}
            onText={(changed) => {
              written.change(changed);
              onTyped?.(changed);
            }}
            onSubmitKey={onSubmit}
            isSubmitKey={isSubmitKey}
            onEscape={onEscape}
            onEditLast={onEditLast}
            onFiles={upload}
          />
        )}
        {(isBeside || isInstead) && <Preview text={text} field={field} />}
      </div>
      {uploadsOf(written).map(({ id, name, progress, cancel }) => (
        <div class="upload" key={id}>
          <span>{name}</span>
          <progress max={1} value={progress} aria-label={t("Uploading {name}", { name })} />
          <IconButton icon="close" label={t("Cancel uploading {name}", { name })} onClick={() => cancel.abort()} />
        </div>
      ))}
      <p class="writing-limit">
        <Limit text={text} max={max} /> {tooLong}
      </p>
      <div
        class="compose-tools"
        // The field keeps the focus, and a phone its keyboard. Without the focus the tools would vanish under the finger.
        onMouseDown={(event) => event.currentTarget.contains(document.activeElement) || event.preventDefault()}
      >
        <label class="icon-button" title={t("Add files")}>
          <Icon name="file" />
          <span class="unseen">{t("Add files")}</span>
          <input
            type="file"
            multiple
            class="unseen"
            onChange={(event) => {
              upload(event.currentTarget.files ?? []);
              event.currentTarget.value = "";
              field.current?.focus();
            }}
          />
        </label>
        <div class="anchored">
          <IconButton icon="smile" label={t("Insert an emoji")} onClick={() => setPicking(true)} />
          {isPicking && (
            <EmojiPicker
              onClose={() => setPicking(false)}
              onPick={({ emoji_name }) => {
                setPicking(false);
                insert(`:${emoji_name}: `);
              }}
            />
          )}
        </div>
        {isInstead || (
          <div class="formats" role="group" aria-label={t("Format")}>
            {formats().map((format) => (
              <button
                key={format.label}
                type="button"
                class="icon-button"
                aria-label={format.label}
                title={titleOf(format)}
                aria-keyshortcuts={format.shortcut && `Control+${format.shortcut}`}
                onClick={() => field.current && applyFormat(field.current, format)}
              >
                <Icon name={format.icon} size={16} />
              </button>
            ))}
            <IconButton icon="clock" label={t("Time")} size={16} onClick={chooseTime} />
          </div>
        )}
        {tools}
        {realm.value?.realm_video_chat_provider === 1 && (
          <IconButton
            icon="camera"
            label={t("Add a video call")}
            onClick={() => tryTo(async () => insert((await import("./video-call.ts")).linkToNewCall()))}
          />
        )}
        <IconButton
          icon="snippet"
          label={t("Saved snippets")}
          onClick={() => openDialog((onClose) => <dialogs.Snippets text={text} onPick={insert} onClose={onClose} />)}
        />
        <IconButton
          icon="eye"
          label={isInstead ? t("Keep writing") : t("Preview")}
          pressed={isBeside || isInstead}
          onClick={() => {
            if (isWide.value) showsBeside.value = !showsBeside.value;
            else setReplacesText(!replacesText);
            if (isInstead) requestAnimationFrame(() => field.current?.focus());
          }}
        />
        <span class="grow" />
        {children}
      </div>
    </>
  );
}
