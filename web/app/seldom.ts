/**
 * What people seldom open, loaded when the first of it is shown. It is loaded together: each chunk of its own would split what it
 * shares with the page into further chunks, which every page loads.
 */

export { TimeDialog } from "../parts/time-dialog.tsx";
export { Administration } from "../views/administration/administration.tsx";
export { Checklist } from "../views/beginning/checklist.tsx";
export { ChannelBrowser, ChannelSettings } from "../views/channels/channel-pages.tsx";
export { NewPoll, NewTodoList } from "../views/compose/new-widget.tsx";
export { Snippets } from "../views/compose/snippets.tsx";
export { Warnings } from "../views/compose/warnings.tsx";
export { Drafts } from "../views/messages/drafts.tsx";
export { Lightbox } from "../views/messages/lightbox.tsx";
export { HistoryDialog, MoveDialog, ReadersDialog } from "../views/messages/message-dialogs.tsx";
export { Poll } from "../views/messages/poll.tsx";
export { ReminderDialog } from "../views/messages/reminder-dialog.tsx";
export { Scheduled } from "../views/messages/scheduled.tsx";
export { TodoList } from "../views/messages/todo-list.tsx";
export { UserGroups } from "../views/people/groups.tsx";
export { InviteDialog } from "../views/people/invite.tsx";
export { ProfileCard } from "../views/people/profile.tsx";
export { StatusDialog } from "../views/people/status.tsx";
export { Settings } from "../views/settings/settings.tsx";
export { Palette } from "./palette.tsx";
