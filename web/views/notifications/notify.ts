import { t } from "../../base/languages/language.ts";
import { textOf } from "../../base/lib/html.ts";
import { icon, tagOf } from "../../base/lib/pushed.ts";
import { linkToNarrow } from "../../navigation/router.ts";
import { channelName, nameOf, topicName } from "../../parts/parts.tsx";
import { currentState, onEvents, state } from "../../session/store.ts";
import { conversationOf, type Message, topicKey, visibilityPolicies } from "../../state/model.ts";
import { isTopicMuted } from "../../state/narrow.ts";
import { isMention } from "../../state/unread.ts";

/** Notifies a user whose window is not focused by desktop notifications and a sound, and reports whether the user is active. */

/** By which means the user's settings say to notify of a message. */
function notificationsFor(message: Message): { desktop: boolean; sound: boolean } {
  const current = currentState();
  const { settings } = current;
  const none = { desktop: false, sound: false };
  if (message.sender_id === current.userId || message.flags.includes("read")) return none;
  if (current.mutedUsers.has(message.sender_id)) return none;
  if (message.type === "private" || isMention(message))
    return { desktop: settings.enable_desktop_notifications === true, sound: settings.enable_sounds === true };
  const channelId = message.stream_id ?? 0;
  if (isTopicMuted(channelId, message.subject, current)) return none;
  if (current.topicPolicies.get(topicKey(channelId, message.subject)) === visibilityPolicies.followed)
    return {
      desktop: settings.enable_followed_topic_desktop_notifications === true,
      sound: settings.enable_followed_topic_audible_notifications === true,
    };
  const subscription = current.subscriptions.get(channelId);
  return {
    desktop: subscription?.desktop_notifications ?? settings.enable_stream_desktop_notifications === true,
    sound: subscription?.audible_notifications ?? settings.enable_stream_audible_notifications === true,
  };
}

const maxBodyLength = 200;

/**
 * Shows a notification by the service worker, if there is one: then that of Web Push, which has the same tag, takes its place instead
 * of being shown beside it, and a click is handled there (`service-worker/notifications.ts`).
 */
async function showDesktopNotification(message: Message): Promise<void> {
  if (typeof Notification === "undefined" || Notification.permission !== "granted") return;
  const current = currentState();
  const conversation = conversationOf(message, current.userId);
  const where =
    conversation.kind === "topic"
      ? ` (#${channelName(conversation.channelId)} › ${topicName(conversation.topic)})`
      : "";
  const hidesContent = conversation.kind === "direct" && current.settings.pm_content_in_desktop_notifications === false;
  const title = `${nameOf(message.sender_id)}${where}`;
  const hash = linkToNarrow(conversation, message.id);
  const options = {
    body: hidesContent ? t("New direct message") : textOf(message.content).slice(0, maxBodyLength),
    tag: tagOf(message.id),
  };
  const registration = await navigator.serviceWorker?.getRegistration();
  if (registration?.active) return registration.showNotification(title, { ...options, icon, data: { hash } });
  const notification = new Notification(title, options);
  notification.onclick = () => {
    window.focus();
    location.hash = hash;
    notification.close();
  };
}

/** Closes the notifications with certain tags. */
export async function closeNotifications(closes: (tag: string) => boolean): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  for (const notification of (await registration?.getNotifications()) ?? [])
    if (closes(notification.tag)) notification.close();
}

/** Opens what was clicked in a notification. */
function openClicked({ data }: MessageEvent): void {
  if (typeof data?.open === "string") location.hash = data.open;
}

let audio: AudioContext | undefined;

/** Plays two short generated tones. */
function playSound(): void {
  audio ??= new AudioContext();
  const start = audio.currentTime;
  for (const [index, frequency] of [660, 880].entries()) {
    // An exponential ramp cannot start or end at 0, so silence is a volume of 0.0001.
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = frequency;
    const toneStart = start + index * 0.12;
    volume.gain.setValueAtTime(0.0001, toneStart);
    volume.gain.exponentialRampToValueAtTime(0.12, toneStart + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, toneStart + 0.25);
    tone.connect(volume).connect(audio.destination);
    tone.start(toneStart);
    tone.stop(toneStart + 0.3);
  }
}

/** Notifies of new messages; returns a function that stops this. */
export function startNotifying(): () => void {
  navigator.serviceWorker?.addEventListener("message", openClicked);
  const stopListening = onEvents((events) => {
    for (const event of events) {
      if (event.type === "update_message_flags" && event.op === "add" && event.flag === "read") {
        const tags = new Set(event.messages.map(tagOf));
        void closeNotifications((tag) => event.all || tags.has(tag));
      }
      if (event.type !== "message" || document.hasFocus()) continue;
      const message = state.value?.messages.get(event.message?.id);
      if (!message) continue;
      const { desktop, sound } = notificationsFor(message);
      if (desktop) void showDesktopNotification(message);
      if (sound) playSound();
    }
  });
  return () => {
    stopListening();
    navigator.serviceWorker?.removeEventListener("message", openClicked);
  };
}
