import { t } from "../../base/languages/language.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { PictureChoice } from "../../parts/fields/picture-choice.tsx";
import { focusPage } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { realm } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import { uploadedPicture } from "../../state/records.ts";

/** The organization's pictures: its icon, and its logos on light and dark ground. */

interface Picture {
  label: string;
  /** The picture that was uploaded, if there is one. */
  url: string | undefined;
  set: (file: File) => Promise<unknown>;
  remove: () => Promise<unknown>;
}

function pictures(): Picture[] {
  const { realm_icon_source, realm_icon_url, realm_logo_source, realm_logo_url } = realm.value ?? {};
  const { realm_night_logo_source, realm_night_logo_url } = realm.value ?? {};
  return [
    {
      label: t("Square icon"),
      url: uploadedPicture(realm_icon_source, realm_icon_url),
      set: (file) => call("POST /realm/icon", {}, { file }),
      remove: () => call("DELETE /realm/icon"),
    },
    {
      label: t("Logo, in place of the name"),
      url: uploadedPicture(realm_logo_source, realm_logo_url),
      set: (file) => call("POST /realm/logo", { night: false }, { file }),
      remove: () => call("DELETE /realm/logo", { night: false }),
    },
    // Without the other one, it would not be shown.
    ...(realm_logo_source === "U" || realm_night_logo_source === "U"
      ? [
          {
            label: t("Logo in the dark theme"),
            url: uploadedPicture(realm_night_logo_source, realm_night_logo_url),
            set: (file: File) => call("POST /realm/logo", { night: true }, { file }),
            remove: () => call("DELETE /realm/logo", { night: true }),
          },
        ]
      : []),
  ];
}

const confirmRemoval = ({ label, remove }: Picture) =>
  confirmAndTry(
    {
      title: t("Remove the picture?"),
      text: t("{label}: to restore it, upload it again.", { label }),
      label: t("Remove"),
    },
    async () => {
      await remove();
      focusPage();
    },
  );

export const OrganizationPictures = () => (
  <section class="form" aria-labelledby="organization-pictures">
    <h2 id="organization-pictures">{t("Pictures")}</h2>
    {pictures().map((picture) => (
      <PictureChoice
        key={picture.label}
        label={picture.label}
        isRemovable={picture.url !== undefined}
        onChoose={(file) => void tryTo(() => picture.set(file))}
        onRemove={() => void confirmRemoval(picture)}
      >
        {picture.url ? (
          <img class="realm-picture" src={picture.url} alt={picture.label} />
        ) : (
          <span class="realm-picture quiet small">{t("No picture")}</span>
        )}
      </PictureChoice>
    ))}
  </section>
);
