import { unwrap } from "./api/client.ts";
import { textOf } from "./lib/html.ts";
import { api, currentState, onEvents, state } from "./session.ts";
import { conversationOf, type Message, topicKey } from "./state/model.ts";
import { isTopicMuted } from "./state/narrow.ts";
import { isMention } from "./state/unread.ts";
import { linkToNarrow } from "./views/navigation/router.ts";
import { channelName, nameOf, topicName } from "./views/parts/parts.tsx";

/** Notifies a user whose window is not focused: desktop notifications, a sound, the count in the title. */

/** Whether the user is notified of a message, and by which setting. */
export function concerns(message: Message): { desktop: boolean; sound: boolean } {
  const current = currentState();
  const { settings } = current;
  const none = { desktop: false, sound: false };
  if (message.sender_id === current.userId || message.flags.includes("read")) return none;
  if (current.mutedUsers.has(message.sender_id)) return none;
  if (message.type === "private" || isMention(message))
    return { desktop: settings.enable_desktop_notifications === true, sound: settings.enable_sounds === true };
  const channelId = message.stream_id ?? 0;
  if (isTopicMuted(channelId, message.subject, current)) return none;
  if (current.topicPolicies.get(topicKey(channelId, message.subject)) === 3)
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

function show(message: Message): void {
  if (typeof Notification === "undefined" || Notification.permission !== "granted") return;
  const current = currentState();
  const conversation = conversationOf(message, current.userId);
  const where =
    conversation.kind === "topic"
      ? ` (#${channelName(conversation.channelId)} › ${topicName(conversation.topic)})`
      : "";
  const hides = conversation.kind === "direct" && current.settings.pm_content_in_desktop_notifications === false;
  const note = new Notification(`${nameOf(message.sender_id)}${where}`, {
    body: hides ? "New direct message" : textOf(message.content).slice(0, 200),
    tag: String(message.id),
  });
  note.onclick = () => {
    window.focus();
    location.hash = linkToNarrow(conversation, message.id);
    note.close();
  };
}

let audio: AudioContext | undefined;

/** Plays two short generated tones. */
function ring(): void {
  audio ??= new AudioContext();
  const start = audio.currentTime;
  for (const [index, frequency] of [660, 880].entries()) {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = frequency;
    const at = start + index * 0.12;
    volume.gain.setValueAtTime(0.0001, at);
    volume.gain.exponentialRampToValueAtTime(0.12, at + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.25);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 0.3);
  }
}

export function startNotifying(): () => void {
  return onEvents((events) => {
    if (document.hasFocus()) return;
    for (const event of events) {
      if (event.type !== "message") continue;
      const message = state.value?.messages.get(event.message.id);
      if (!message) continue;
      const { desktop, sound } = concerns(message);
      if (desktop) show(message);
      if (sound) ring();
    }
  });
}

/** Sends a presence ping once a minute, and applies the others' presence from the reply. */
export function startPresence(): () => void {
  let active = true;
  const noteActivity = () => {
    active = true;
  };
  const tell = () => {
    if (!state.value) return;
    const status = active && document.visibilityState === "visible" ? "active" : "idle";
    active = document.hasFocus();
    // A failed ping is ignored: there is another in a minute.
    unwrap(
      api().POST("/api/v1/users/me/presence", {
        body: { status, new_user_input: status === "active", ping_only: true } as never,
      }),
    ).catch(() => {});
  };
  tell();
  const timer = setInterval(tell, 60_000);
  for (const type of ["keydown", "mousemove", "touchstart"]) addEventListener(type, noteActivity, { passive: true });
  return () => {
    clearInterval(timer);
    for (const type of ["keydown", "mousemove", "touchstart"]) removeEventListener(type, noteActivity);
  };
}
