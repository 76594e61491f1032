import type { ComponentType, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../base/languages/language.ts";
import { focusPageUnlessTyping } from "./parts.tsx";

/**
 * A view whose code is loaded when it is first shown, to keep the initial bundle small; `meanwhile` is shown until it is there.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  meanwhile: () => VNode | null = () => <p class="notice">{t("Loading …")}</p>,
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
    if (!failed) return meanwhile();
    return (
      <p class="notice" role="alert">
        {t("A part of the page could not be loaded.")}{" "}
        <button type="button" onClick={() => setFailed(false)}>
          {t("Try again")}
        </button>
      </p>
    );
  };
}
