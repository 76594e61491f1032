/**
 * What people seldom open, loaded when the first of it is shown. It is loaded together: each chunk of its own would split what it
 * shares with the page into further chunks, which every page loads.
 */
export { Administration } from "./administration/administration.tsx";
export { Checklist } from "./beginning/checklist.tsx";
export { ChannelBrowser, ChannelSettings } from "./channels.tsx";
export { NewPoll, NewTodoList } from "./compose/new-widget.tsx";
export { Snippets } from "./compose/snippets.tsx";
export { Warnings } from "./compose/warnings.tsx";
export { Drafts } from "./messages/drafts.tsx";
export { Lightbox } from "./messages/lightbox.tsx";
export { HistoryDialog, MoveDialog, ReadersDialog } from "./messages/message-dialogs.tsx";
export { Poll } from "./messages/poll.tsx";
export { ReminderDialog } from "./messages/reminder-dialog.tsx";
export { Scheduled } from "./messages/scheduled.tsx";
export { TodoList } from "./messages/todo-list.tsx";
export { Palette } from "./navigation/palette.tsx";
export { TimeDialog } from "./parts/time-dialog.tsx";
export { UserGroups } from "./people/groups.tsx";
export { InviteDialog } from "./people/invite.tsx";
export { ProfileCard } from "./people/profile.tsx";
export { StatusDialog } from "./people/status.tsx";
export { Settings } from "./settings.tsx";
