import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import { compareTexts, t } from "../../base/languages/language.ts";
import { PersonCombobox } from "../../parts/fields/combobox.tsx";
import { List } from "../../parts/fields/filtered-list.tsx";
import { Form, TextField } from "../../parts/fields/form.tsx";
import { GrowingRows } from "../../parts/growing.tsx";
import { Avatar, Dialog, IconButton, nameOf } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { currentState, state } from "../../session/store.ts";
import type { UserGroup } from "../../state/model.ts";
import { addToGroup, removeFromGroup } from "../conversations/undoable.ts";

/** User groups, which can be mentioned and given permissions. */
export function UserGroups() {
  const [creating, setCreating] = useState(false);
  const groups = useComputed(() =>
    [...(state.value?.groups.values() ?? [])]
      .filter((group) => !group.is_system_group && !group.deactivated)
      .sort((a, b) => compareTexts(a.name, b.name)),
  ).value;
  return (
    <div class="page" id="messages" tabIndex={-1}>
      <h1>{t("User groups")}</h1>
      <div class="page-tools">
        <span class="grow quiet">{t("Mention a group to notify all of its members.")}</span>
        <button type="button" class="primary" onClick={() => setCreating(true)}>
          {t("Create a group")}
        </button>
      </div>
      <List
        class="cards"
        label={t("User groups")}
        items={groups}
        empty={t("There are no groups yet. Create one for people you often mention together.")}
        row={(group) => <Group key={group.id} group={group} />}
      />
      {creating && <CreateGroup onClose={() => setCreating(false)} />}
    </div>
  );
}

function Group({ group }: { group: UserGroup }) {
  const selfId = state.value?.userId ?? 0;
  const isMember = group.members.includes(selfId);
  return (
    <li>
      <header>
        <strong class="grow">{group.name}</strong>
        <button
          type="button"
          onClick={() => void (isMember ? removeFromGroup(group, selfId) : addToGroup(group, selfId))}
        >
          {isMember ? t("Leave") : t("Join")}
        </button>
      </header>
      <p class="quiet">{group.description}</p>
      <ul class="people-list">
        <GrowingRows
          of={group.members}
          row={(id) => (
            <li key={id}>
              <Avatar user={state.value?.users.get(id)} size={24} /> {nameOf(id)}
              <IconButton
                icon="close"
                size={12}
                label={t("Remove {name} from {group}", { name: nameOf(id), group: group.name })}
                onClick={() => void removeFromGroup(group, id)}
              />
            </li>
          )}
        />
      </ul>
      <PersonCombobox
        label={t("Add someone to {name}", { name: group.name })}
        includes={({ user_id, is_system_bot }) => !is_system_bot && !group.members.includes(user_id)}
        onChoose={(id) => void addToGroup(group, id)}
      />
    </li>
  );
}

function CreateGroup({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const create = async () => {
    await call("POST /user_groups/create", {
      name: name.trim(),
      description: description.trim(),
      members: [currentState().userId],
    });
    onClose();
  };
  return (
    <Dialog title={t("Create a group")} onClose={onClose}>
      <Form submit={t("Create")} disabled={name.trim() === ""} save={create} onCancel={onClose}>
        <TextField label={t("Name")} required max={100} value={name} onChange={setName} />
        <TextField label={t("Description")} max={1024} value={description} onChange={setDescription} />
      </Form>
    </Dialog>
  );
}
