/**
 * What people seldom open, loaded when the first of it is shown. It is loaded together: each chunk of its own would split what it
 * shares with the page into further chunks, which every page loads.
 */
export { Administration } from "./administration/administration.tsx";
export { Checklist } from "./beginning/checklist.tsx";
export { ChannelBrowser, ChannelSettings } from "./channels.tsx";
export { EditHeading, NewPoll, NewTodoList } from "./compose/new-widget.tsx";
export { Lightbox } from "./messages/lightbox.tsx";
export { HistoryDialog, MoveDialog, ReadersDialog } from "./messages/message-dialogs.tsx";
export { ReminderDialog } from "./messages/reminder-dialog.tsx";
export { Scheduled } from "./messages/scheduled.tsx";
export { UserGroups } from "./people/groups.tsx";
export { InviteDialog } from "./people/invite.tsx";
export { ProfileCard } from "./people/profile.tsx";
export { StatusDialog } from "./people/status.tsx";
export { Settings } from "./settings.tsx";
