import { useComputed } from "@preact/signals";
import { Fragment } from "preact";
import { t } from "../../base/languages/language.ts";
import { asList, asMap, asText, choicesIn, parseJson } from "../../base/lib/json.ts";
import { shortDate } from "../../base/lib/time.ts";
import { Boundary } from "../../parts/boundary.tsx";
import { Content } from "../../parts/content.tsx";
import { PersonCombobox } from "../../parts/fields/combobox.tsx";
import { Form } from "../../parts/fields/form.tsx";
import { Limit } from "../../parts/fields/limit.tsx";
import { useTyped } from "../../parts/fields/typed.ts";
import { nameOf, namesOf } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { ownUser, realm, state } from "../../session/store.ts";
import { toast } from "../../session/toasts.ts";
import { fieldTypes, type ProfileField, type ProfileValue, type User } from "../../state/model.ts";
import { isAdministrator } from "../../state/permissions.ts";

/** Users' values of custom profile fields. */

const choicesOf = ({ field_data }: ProfileField): [key: string, text: string][] =>
  choicesIn(field_data).map(({ key, text }) => [key, text]);

/** The users of a value, which has their IDs as a JSON list. */
const idsIn = (value: string): number[] => asList(parseJson(value)).map(Number);

/** The URL of an external account: from the field's own pattern, or from the server's for known sites. */
function accountLink({ field_data }: ProfileField, name: string): string {
  const account = asMap(parseJson(field_data));
  const standardAccounts = asMap(realm.value?.realm_default_external_accounts);
  const standard = asMap(standardAccounts.get(asText(account.get("subtype"))));
  const pattern = asText(account.get("url_pattern") ?? standard.get("url_pattern"));
  return pattern.replace("%(username)s", encodeURIComponent(name.toWellFormed()));
}

/** A link, if it is an http or https URL. */
function Link({ to, text }: { to: string; text: string }) {
  if (!/^https?:/i.test(to)) return <span>{text}</span>;
  return (
    <a href={to} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  );
}

function Value({ field, entry }: { field: ProfileField; entry: ProfileValue }) {
  const { value, rendered_value } = entry;
  if (rendered_value !== undefined) return <Content html={rendered_value} />;
  switch (field.type) {
    case fieldTypes.people:
      return <>{namesOf(idsIn(value))}</>;
    case fieldTypes.choice:
      return <>{choicesOf(field).find(([key]) => key === value)?.[1]}</>;
    case fieldTypes.date:
      return <>{shortDate(Date.parse(`${value}T00:00:00`) / 1000)}</>;
    case fieldTypes.link:
      return <Link to={value} text={value} />;
    case fieldTypes.account:
      return <Link to={accountLink(field, value)} text={value} />;
    default:
      return <>{value}</>;
  }
}

export function ProfileValues({ user }: { user: User }) {
  const fields = useComputed(() => state.value?.profileFields ?? []).value;
  return (
    <>
      {fields.map((field) => {
        const entry = user.profile_data[field.id];
        return (
          entry && (
            <Fragment key={field.id}>
              <dt>{field.name}</dt>
              <dd>
                <Boundary what={`a value of ${field.name}`} of={entry} fallback={() => asText(entry.value)}>
                  <Value field={field} entry={entry} />
                </Boundary>
              </dd>
            </Fragment>
          )
        );
      })}
    </>
  );
}

/** The user's own values of the fields that users may edit. */
export function OwnProfileFields() {
  const fields = useComputed(() => {
    const current = state.value;
    return (current?.profileFields ?? []).filter(
      (field) => field.editable_by_user || (current && isAdministrator(current)),
    );
  }).value;
  const saved = ownUser.value?.profile_data ?? {};
  const { texts, type, changed, saving } = useTyped(
    Object.fromEntries(fields.map(({ id }) => [id, saved[id]?.value ?? ""])),
  );
  if (fields.length === 0) return null;
  const isPeople = (id: number) => fields.find((field) => field.id === id)?.type === fieldTypes.people;
  return (
    <Form
      heading={t("About you")}
      submit={t("Save your profile")}
      disabled={Object.keys(changed).length === 0}
      save={async () => {
        const data = Object.entries(changed).map(([key, value]) => {
          const id = Number(key);
          return { id, value: isPeople(id) ? idsIn(value) : value };
        });
        await saving(() => call("PATCH /users/me/profile_data", { data }));
        toast(t("Your profile is saved."));
      }}
    >
      {fields.map((field) => (
        <ValueField
          key={field.id}
          field={field}
          value={texts[field.id] ?? ""}
          onChange={(value) => type(String(field.id), value)}
        />
      ))}
    </Form>
  );
}

function ValueField({
  field,
  value,
  onChange,
}: {
  field: ProfileField;
  value: string;
  onChange: (value: string) => void;
}) {
  const { name, hint, type } = field;
  const hintText = hint && <span class="quiet small">{hint}</span>;
  if (type === fieldTypes.people)
    return <PeopleField {...{ name, hint }} value={idsIn(value)} onChange={(ids) => onChange(JSON.stringify(ids))} />;
  if (type === fieldTypes.choice)
    return (
      <label>
        {name}
        <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{t("Not specified")}</option>
          {choicesOf(field).map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
        {hintText}
      </label>
    );
  if (type === fieldTypes.longText)
    return (
      <>
        <label>
          {name}
          <textarea rows={3} value={value} onInput={(event) => onChange(event.currentTarget.value)} />
          {hintText}
        </label>
        <Limit text={value} max={500} />
      </>
    );
  const inputProps = {
    value,
    onInput: (event: { currentTarget: HTMLInputElement }) => onChange(event.currentTarget.value),
  };
  if (type === fieldTypes.date)
    return (
      <label>
        {name}
        <input type="date" {...inputProps} />
        {hintText}
      </label>
    );
  if (type === fieldTypes.link)
    return (
      <>
        <label>
          {name}
          <input type="url" {...inputProps} />
          {hintText}
        </label>
        <Limit text={value} max={2000} />
      </>
    );
  return (
    <>
      <label>
        {name}
        <input {...inputProps} />
        {hintText}
      </label>
      <Limit text={value} max={50} />
    </>
  );
}

function PeopleField({
  name,
  hint,
  value,
  onChange,
}: {
  name: string;
  hint: string;
  value: readonly number[];
  onChange: (value: number[]) => void;
}) {
  return (
    <fieldset>
      <legend>{name}</legend>
      {hint && <p class="quiet small">{hint}</p>}
      <ul class="people-list">
        {value.map((id) => (
          <li key={id}>
            {nameOf(id)}
            <button
              type="button"
              aria-label={t("Remove {name}", { name: nameOf(id) })}
              onClick={() => onChange(value.filter((userId) => userId !== id))}
            >
              {t("Remove")}
            </button>
          </li>
        ))}
      </ul>
      <PersonCombobox
        label={t("Add someone to {name}", { name })}
        includes={({ user_id, is_bot }) => !is_bot && !value.includes(user_id)}
        onChoose={(id) => onChange([...value, id])}
      />
    </fieldset>
  );
}
