import type { ComponentChildren } from "preact";
import { t } from "../../base/languages/language.ts";

/** A picture with buttons to choose another file and to remove it. `label` says of what it is, where there are several. */
export const PictureChoice = ({
  label,
  isRemovable,
  onChoose,
  onRemove,
  children,
}: {
  label?: string;
  isRemovable: boolean;
  onChoose: (file: File) => void;
  onRemove: () => void;
  children: ComponentChildren;
}) => (
  <div class="profile">
    {children}
    <div>
      {label && <p>{label}</p>}
      <label class="button">
        {t("Choose a picture")}
        <input
          class="unseen"
          type="file"
          accept="image/*"
          aria-label={label && t("Choose a picture: {label}", { label })}
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            if (file) onChoose(file);
            // The same file can be chosen again.
            event.currentTarget.value = "";
          }}
        />
      </label>{" "}
      {isRemovable && (
        <button type="button" aria-label={label && t("Remove: {label}", { label })} onClick={onRemove}>
          {t("Remove")}
        </button>
      )}
    </div>
  </div>
);
