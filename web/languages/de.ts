/**
 * German. "Du" is informal. The same word everywhere: channel: Kanal, topic: Thema, direct message: Direktnachricht,
 * message: Nachricht, draft: Entwurf, to star: markieren, to mute: stummschalten, to follow: folgen, unread: ungelesen,
 * to archive: archivieren, organization: Organisation, group: Gruppe, invitation: Einladung, member: Mitglied,
 * guest: Gast, status: Status, settings: Einstellungen, snippet: Textbaustein, linkifier: Verlinkung, spoiler: Spoiler.
 */
export const german: Readonly<Record<string, string>> = {
  Automatic: "Automatisch",
  "Language in this browser": "Sprache in diesem Browser",
  Picture: "Bild",
  "The link does not say which messages to show.": "Der Link sagt nicht, welche Nachrichten er zeigt.",
  "The link ends after “{part}”.": "Der Link endet nach „{part}“.",
  "There is no page “{page}”.": "Es gibt keine Seite „{page}“.",
  Today: "Heute",
  Yesterday: "Gestern",
  "{day}, {time}": "{day}, {time}",
};
