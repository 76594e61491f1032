import { openDialog } from "../../navigation/page-dialog.ts";
import { AnyText } from "../../parts/growing.tsx";
import { IconButton } from "../../parts/parts.tsx";
import { EditHeading } from "../compose/new-widget.tsx";

/** The heading of a poll or a to-do list, which its author may change. */
export function WidgetHeading({
  text,
  emptyText,
  mayEdit,
  ...dialog
}: {
  text: string;
  /** What the heading says if its text is empty. */
  emptyText: string;
  mayEdit: boolean;
  /** The title of the dialog that changes it. */
  title: string;
  /** The label of its field. */
  label: string;
  /** Throws if it fails. */
  save: (text: string) => Promise<unknown>;
}) {
  return (
    <div class="widget-head">
      <h2 dir="auto">
        <AnyText text={text || emptyText} />
      </h2>
      {mayEdit && (
        <IconButton
          icon="drafts"
          size={14}
          label={dialog.title}
          onClick={() => openDialog((onClose) => <EditHeading {...dialog} text={text} onClose={onClose} />)}
        />
      )}
    </div>
  );
}
