import type { Input } from "../../base/api/calls.ts";
import { type State, type Subscription, topicKey, type VisibilityPolicy } from "../../state/model.ts";
import { call } from "../session.ts";
import { dispatch, state } from "../store.ts";

/**
 * Changes of the user's own settings and subscriptions, as API calls. A setting or a topic's policy that the server has accepted
 * is shown before its event.
 */

export async function setTopicPolicy(channelId: number, topic: string, policy: VisibilityPolicy): Promise<void> {
  const known = () => state.peek()?.topicPolicies.get(topicKey(channelId, topic));
  const before = known();
  await call("POST /user_topics", { stream_id: channelId, topic, visibility_policy: policy });
  // Events may have told of this change already, and of later ones.
  if (known() === before) dispatch({ kind: "topic-policy", channelId, topic, policy });
}

export const setSubscriptionProperty = (channelId: number, property: keyof Subscription, value: boolean | string) =>
  call("POST /users/me/subscriptions/properties", { subscription_data: [{ stream_id: channelId, property, value }] });

export const subscribeTo = (name: string) => call("POST /users/me/subscriptions", { subscriptions: [{ name }] });

export const unsubscribeFrom = (name: string) => call("DELETE /users/me/subscriptions", { subscriptions: [name] });

export type SettingChanges = Input<"PATCH /settings">;
export async function changeSettings(changes: SettingChanges): Promise<void> {
  const before = state.peek()?.settings;
  await call("PATCH /settings", changes);
  // Events may have told of this change already, and of later ones.
  for (const name of Object.keys(changes) as (keyof State["settings"] & keyof SettingChanges)[])
    if (state.peek()?.settings[name] === before?.[name]) dispatch({ kind: "setting", name, value: changes[name] });
}
