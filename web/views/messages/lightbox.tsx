import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { pictureLinks } from "../../navigation/picture-open.ts";
import { useLeaving } from "../../parts/floating.tsx";
import { Icon, IconButton } from "../../parts/parts.tsx";

/** Shows a picture as large as the screen allows, larger on request, and leads to the others of the list outside closed spoilers. */

interface Picture {
  href: string;
  title: string;
  preview: string | null;
}

const pictureOf = (link: HTMLAnchorElement): Picture => ({
  href: link.href,
  title: link.title || link.pathname.slice(link.pathname.lastIndexOf("/") + 1),
  preview: link.querySelector("img")?.getAttribute("src") ?? null,
});

const maxZoom = 8;
const zoomStep = 1.5;

export function Lightbox({ link, onClose: close }: { link: HTMLAnchorElement; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const { pictures, start } = useMemo(() => {
    const all = [...(link.closest("#messages")?.querySelectorAll<HTMLAnchorElement>(pictureLinks) ?? [link])];
    const list = all.filter((one) => !one.closest('.spoiler-content[aria-hidden="true"]'));
    return { pictures: list.map(pictureOf), start: Math.max(0, list.indexOf(link)) };
  }, [link]);
  const [index, setIndex] = useState(start);
  /** How many times larger than what fits on the screen. */
  const [zoom, setZoom] = useState(1);
  const [size, setSize] = useState<{ width: number; height: number }>();
  const [failed, setFailed] = useState(false);
  useLeaving(close);
  useLayoutEffect(() => {
    const previousFocus = document.activeElement as HTMLElement | null;
    const shown = dialog.current;
    shown?.showModal();
    frame.current?.focus();
    return () => {
      shown?.close();
      previousFocus?.focus({ preventScroll: true });
    };
  }, []);

  const picture = pictures[index];
  if (!picture) return null;
  const go = (step: number) => {
    if (!pictures[index + step]) return;
    setIndex(index + step);
    setZoom(1);
    setSize(undefined);
    setFailed(false);
  };
  const area = frame.current;
  const fit = area && size ? Math.min(area.clientWidth / size.width, area.clientHeight / size.height, 1) : 1;
  /** Enlarges around the middle of what is seen. */
  const changeZoom = (factor: number) => {
    const next = Math.min(maxZoom, Math.max(1, zoom * factor));
    const middle = area && {
      x: (area.scrollLeft + area.clientWidth / 2) / area.scrollWidth,
      y: (area.scrollTop + area.clientHeight / 2) / area.scrollHeight,
    };
    setZoom(next);
    requestAnimationFrame(() => {
      if (!area || !middle) return;
      area.scrollLeft = middle.x * area.scrollWidth - area.clientWidth / 2;
      area.scrollTop = middle.y * area.scrollHeight - area.clientHeight / 2;
    });
  };
  const keys: Record<string, () => void> = {
    ArrowLeft: () => go(-1),
    ArrowRight: () => go(1),
    "+": () => changeZoom(zoomStep),
    "=": () => changeZoom(zoomStep),
    "-": () => changeZoom(1 / zoomStep),
    "0": () => changeZoom(0),
  };
  return (
    <dialog
      ref={dialog}
      class="lightbox"
      aria-label={picture.title}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onKeyDown={(event) => {
        const run = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
        if (!run) return;
        event.preventDefault();
        run();
      }}
    >
      <header>
        <h2 class="grow">{picture.title}</h2>
        {pictures.length > 1 && (
          <span class="small">{t("{number} of {count}", { number: index + 1, count: pictures.length })}</span>
        )}
        <IconButton icon="minus" label={t("Smaller (-)")} onClick={() => changeZoom(1 / zoomStep)} />
        <IconButton icon="plus" label={t("Larger (+)")} onClick={() => changeZoom(zoomStep)} />
        <a class="icon-button" href={picture.href} target="_blank" rel="noopener noreferrer" title={t("Open the file")}>
          <Icon name="file" />
          <span class="unseen">{t("Open the file")}</span>
        </a>
        <IconButton icon="close" label={t("Close")} onClick={close} />
      </header>
      <div
        class={`lightbox-picture ${zoom > 1 ? "zoomed" : ""}`}
        ref={frame}
        tabIndex={-1}
        onClick={(event) => event.target === event.currentTarget && close()}
        onDblClick={() => changeZoom(zoom > 1 ? 0 : 2 * zoomStep)}
        onWheel={(event) => {
          if (!event.ctrlKey) return;
          event.preventDefault();
          changeZoom(event.deltaY < 0 ? zoomStep : 1 / zoomStep);
        }}
        onPointerMove={(event) => {
          // Fingers scroll by themselves.
          if (event.pointerType === "touch" || event.buttons !== 1) return;
          event.currentTarget.scrollLeft -= event.movementX;
          event.currentTarget.scrollTop -= event.movementY;
        }}
      >
        <img
          key={picture.href}
          // A format that the browser cannot show has a preview that it can.
          src={failed ? (picture.preview ?? "") : picture.href}
          alt={picture.title}
          draggable={false}
          style={size && { width: `${size.width * fit * zoom}px` }}
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => setSize({ width, height })}
          onError={() => setFailed(true)}
        />
      </div>
      {index > 0 && (
        <button type="button" class="lightbox-step back" aria-label={t("Previous picture")} onClick={() => go(-1)}>
          <Icon name="down" size={26} />
        </button>
      )}
      {index + 1 < pictures.length && (
        <button type="button" class="lightbox-step" aria-label={t("Next picture")} onClick={() => go(1)}>
          <Icon name="down" size={26} />
        </button>
      )}
    </dialog>
  );
}
