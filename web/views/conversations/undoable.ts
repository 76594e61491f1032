import { t } from "../../base/languages/language.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { nameOf, topicName } from "../../parts/parts.tsx";
import {
  setSubscriptionProperty,
  setTopicPolicy,
  subscribeTo,
  unsubscribeFrom,
} from "../../session/actions/change-own.ts";
import { call } from "../../session/session.ts";
import { currentState } from "../../session/store.ts";
import { toastWithUndo, tryTo } from "../../session/toasts.ts";
import {
  type Channel,
  topicKey,
  type UserGroup,
  type VisibilityPolicy,
  visibilityPolicies,
} from "../../state/model.ts";
import { mayRejoin } from "../../state/permissions.ts";

/** Actions that the user can undo for some seconds, and that ask first where this is not possible. */

const policyText = (topic: string, policy: VisibilityPolicy): string => {
  switch (policy) {
    case visibilityPolicies.inherited:
      return t("The topic “{topic}” has its channel's setting again.", { topic });
    case visibilityPolicies.muted:
      return t("The topic “{topic}” is muted.", { topic });
    case visibilityPolicies.unmuted:
      return t("The topic “{topic}” is unmuted.", { topic });
    case visibilityPolicies.followed:
      return t("The topic “{topic}” is followed.", { topic });
  }
};

export const changeTopicPolicy = (channelId: number, topic: string, policy: VisibilityPolicy) =>
  tryTo(async () => {
    const previous = currentState().topicPolicies.get(topicKey(channelId, topic)) ?? visibilityPolicies.inherited;
    await setTopicPolicy(channelId, topic, policy);
    toastWithUndo(policyText(topicName(topic), policy), () => setTopicPolicy(channelId, topic, previous));
  });

export const changeChannelMuted = ({ stream_id, name }: Channel, isMuted: boolean) =>
  tryTo(async () => {
    await setSubscriptionProperty(stream_id, "is_muted", isMuted);
    toastWithUndo(
      isMuted ? t("The channel “{name}” is muted.", { name }) : t("The channel “{name}” is unmuted.", { name }),
      () => setSubscriptionProperty(stream_id, "is_muted", !isMuted),
    );
  });

const setUserMuted = (userId: number, isMuted: boolean) =>
  call(isMuted ? "POST /users/me/muted_users/{muted_user_id}" : "DELETE /users/me/muted_users/{muted_user_id}", {
    muted_user_id: userId,
  });

export const changeUserMuted = (userId: number, isMuted: boolean) =>
  tryTo(async () => {
    await setUserMuted(userId, isMuted);
    const name = nameOf(userId);
    toastWithUndo(isMuted ? t("{name} is muted.", { name }) : t("{name} is unmuted.", { name }), () =>
      setUserMuted(userId, !isMuted),
    );
  });

export async function leaveChannel(channel: Channel): Promise<boolean> {
  const { name } = channel;
  if (mayRejoin(currentState(), channel))
    return tryTo(async () => {
      await unsubscribeFrom(name);
      toastWithUndo(t("You have left “{name}”.", { name }), () => subscribeTo(name));
    });
  const loss = t("You will no longer see its messages, and only someone who can add people can let you back in.");
  return confirmAndTry(
    {
      title: t("Leave {name}?", { name }),
      text: channel.subscriber_count <= 1 ? `${loss} ${t("You are its only subscriber.")}` : loss,
      label: t("Leave"),
    },
    () => unsubscribeFrom(name),
  );
}

const changeMembers = (id: number, change: { add?: number[]; delete?: number[] }) =>
  call("POST /user_groups/{user_group_id}/members", { user_group_id: id, ...change });

export const addToGroup = ({ id }: UserGroup, userId: number) => tryTo(() => changeMembers(id, { add: [userId] }));

export async function removeFromGroup({ id, name }: UserGroup, userId: number): Promise<boolean> {
  const remove = () => changeMembers(id, { delete: [userId] });
  if (userId === currentState().userId)
    return confirmAndTry(
      {
        title: t("Leave {name}?", { name }),
        text: t(
          "You will no longer be notified when the group is mentioned, and lose the permissions that it gives you. You may not be allowed to join again.",
        ),
        label: t("Leave"),
      },
      remove,
    );
  return tryTo(async () => {
    await remove();
    toastWithUndo(t("{name} was removed from {group}.", { name: nameOf(userId), group: name }), () =>
      changeMembers(id, { add: [userId] }),
    );
  });
}
