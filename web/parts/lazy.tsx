import type { ComponentType, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../base/languages/language.ts";
import { Dialog, focusPageUnlessTyping } from "./parts.tsx";

/**
 * A view whose code is loaded when it is first shown, to keep the initial bundle small. `meanwhile` is shown until it is there, or
 * around what is said if it cannot be loaded.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  meanwhile: (props: Props, problem?: VNode) => VNode | null = (_, problem) =>
    problem ?? <p class="notice">{t("Loading …")}</p>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [View, setView] = useState(() => loaded);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (View || failed) return;
      load().then(
        (view) => {
          loaded = view;
          setView(() => view);
        },
        () => setFailed(true),
      );
    }, [failed]);
    // A view that was not there yet could not take the focus when it was opened.
    const waited = useRef(!View);
    useLayoutEffect(() => {
      if (View && waited.current) focusPageUnlessTyping();
    }, [View]);
    if (View) return <View {...props} />;
    if (!failed) return meanwhile(props);
    return meanwhile(
      props,
      <p class="notice" role="alert">
        {t("Part of the page could not be loaded.")}{" "}
        <button type="button" onClick={() => setFailed(false)}>
          {t("Try again")}
        </button>
      </p>,
    );
  };
}

/** A dialog whose code is loaded when it is first opened. Keys are for it at once: what is typed meanwhile goes into its field. */
export const lazyDialog = <Props extends object>(load: () => Promise<(props: Props) => VNode | null>) =>
  lazy<Props & { onClose: () => void }>(load, ({ onClose }, problem) => <Opening {...{ onClose, problem }} />);

function Opening({ onClose, problem }: { onClose: () => void; problem: VNode | undefined }) {
  const typed = useRef("");
  useLayoutEffect(
    () => () => {
      // The dialog has the focus then. Nothing would replace what is selected in its field, or in the one that gets the focus back.
      if (typed.current) queueMicrotask(() => document.execCommand("insertText", false, typed.current));
    },
    [],
  );
  return (
    <Dialog
      title={t("Loading …")}
      onClose={() => {
        typed.current = "";
        onClose();
      }}
    >
      {problem ?? (
        <p
          tabIndex={-1}
          autofocus
          onKeyDown={({ key, ctrlKey, metaKey }) => {
            if (key === "Backspace") typed.current = typed.current.slice(0, -1);
            else if (key.length === 1 && !ctrlKey && !metaKey) typed.current += key;
          }}
        >
          {t("Loading …")}
        </p>
      )}
    </Dialog>
  );
}
