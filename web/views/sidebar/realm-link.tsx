import { home, linkTo } from "../../navigation/router.ts";
import { realm, settings } from "../../session/store.ts";
import { uploadedPicture } from "../../state/records.ts";

/** The organization's logo, where it has one, else its name; leads to the view with which the user starts. */
export function RealmLink() {
  const name = String(realm.value?.realm_name ?? "Skein");
  const { realm_logo_source, realm_logo_url, realm_night_logo_source, realm_night_logo_url } = realm.value ?? {};
  const light = uploadedPicture(realm_logo_source, realm_logo_url);
  const dark = uploadedPicture(realm_night_logo_source, realm_night_logo_url) ?? light;
  const scheme = settings.value?.color_scheme;
  return (
    <a class="realm" href={linkTo(home.value)}>
      {light && dark ? (
        <picture>
          {scheme === 1 && dark !== light && <source media="(prefers-color-scheme: dark)" srcset={dark} />}
          <img src={scheme === 2 ? dark : light} alt={name} />
        </picture>
      ) : (
        name
      )}
    </a>
  );
}
