import { useRef } from "preact/hooks";
import { t } from "../base/languages/language.ts";
import { closeToast, holdToasts, runToast, type Toast, toasts } from "../session/toasts.ts";
import { focusPage, IconButton } from "./parts.tsx";

/** The notices, below the head of the page, where they cover no text that is being written. */
export function Toasts() {
  const frame = useRef<HTMLDivElement>(null);
  /** Moves the focus to the page if the focused button is about to disappear. */
  const leave = (then: () => void) => {
    if (frame.current?.contains(document.activeElement)) focusPage();
    then();
  };
  return (
    <div
      class="toasts"
      role="status"
      ref={frame}
      onPointerEnter={() => holdToasts(true)}
      onPointerLeave={() => holdToasts(false)}
      onFocusIn={() => holdToasts(true)}
      onFocusOut={() => holdToasts(false)}
    >
      {toasts.value.map((shown) => (
        <Notice key={shown.id} shown={shown} leave={leave} />
      ))}
    </div>
  );
}

function Notice({ shown, leave }: { shown: Toast; leave: (then: () => void) => void }) {
  const { id, text, action, progress } = shown;
  return (
    <div class="toast">
      <span class="grow">
        {text}
        {/* Screen readers get the text, not each step of the bar. */}
        {progress !== undefined && <progress value={progress} aria-hidden="true" />}
      </span>
      {action && (
        <button
          type="button"
          aria-keyshortcuts={action.shortcut}
          title={action.shortcut?.replace("Control", t("Ctrl"))}
          onClick={() => leave(() => runToast(shown))}
        >
          {action.label}
        </button>
      )}
      {progress === undefined && (
        <IconButton icon="close" size={14} label={t("Close")} onClick={() => leave(() => closeToast(id))} />
      )}
    </div>
  );
}
