import { maxPeopleForEvents } from "../shared/presence/rules.ts";

/**
 * The assumed behaviour of a team that uses chat heavily, from which the costs of waiting (waiting.ts) and of a month
 * (month.ts) are computed.
 */

/** What one person does on a working day. */
export const day = {
  workingDays: 22,
  connectedHours: 8,
  /** Messages to channels, and to one person directly. */
  channelMessages: 8,
  directMessages: 2,
  /** Connected users who receive a channel's events; in a smaller team all of them. */
  hearers: 10,
  /** A typing event at the start of a message and one when it is sent. */
  typingPerMessage: 2,
  /** Received messages that are marked as read in one request. */
  readTogether: 3,
  reactions: 3,
  edits: 1,
  fetches: 40,
  /** How often the app is opened; in a small organization this causes a presence event for everybody. */
  registrations: 2,
  /** Once a minute while connected. */
  presencePings: 480,
};

/** What a team does in a month. */
export interface TeamMonth {
  people: number;
  clientHours: number;
  messages: number;
  /** How often each act of acts.ts happens, by name; waiting is counted separately. */
  acts: Record<string, number>;
  /** Events for others: how often the function runs that notifies wake-up queues. */
  news: number;
  /** How often a client receives an event, which ends its wait. */
  wakeUps: number;
}

/** A month of `people`; `traffic` multiplies their messages, reads and reactions. */
export function monthOf(people: number, traffic = 1): TeamMonth {
  const days = people * day.workingDays;
  const others = Math.min(people - 1, day.hearers);
  const [toChannels, directly] = [day.channelMessages * traffic, day.directMessages * traffic];
  const messages = toChannels + directly;
  const marks = (toChannels * others + directly) / day.readTogether;
  const [reactions, edits] = [day.reactions * traffic, day.edits * traffic];
  // The final typing event and the message arrive in one batch of the table's stream and cause one wake-up.
  const channelNews = toChannels * day.typingPerMessage + reactions + edits;
  const directNews = directly * day.typingPerMessage;
  // Larger organizations have no presence events.
  const arrivals = people <= maxPeopleForEvents ? day.registrations : 0;
  // Senders receive their own events too; read marks only concern their user. Arrivals wake nobody.
  const wakeUps = channelNews * (others + 1) + directNews * 2 + marks;
  return {
    people,
    clientHours: days * day.connectedHours,
    messages: messages * days,
    acts: {
      "send to a channel": toChannels * days,
      "send directly": directly * days,
      "fetch 100 of a topic": day.fetches * traffic * days,
      react: reactions * days,
      "edit a message": edits * days,
      type: messages * day.typingPerMessage * days,
      "mark one message as read": marks * days,
      "register, all read": day.registrations * days,
      "presence ping, later": day.presencePings * days,
    },
    news: (channelNews + directNews + marks + arrivals) * days,
    wakeUps: wakeUps * days,
  };
}

/** A description of this behaviour for docs/cost.md. */
export const inWords = `Each person works ${day.workingDays} days of ${day.connectedHours} connected hours. In a day they write ${day.channelMessages} messages to channels, each heard by ${day.hearers} connected
others (or all of a smaller team), and ${day.directMessages} to one person; typing is told ${day.typingPerMessage} times for each message, to those who will hear it;
${day.readTogether} heard messages are marked as read together; they react ${day.reactions} times, edit ${day.edits} message, fetch ${day.fetches} times 100 messages, open the app ${day.registrations} times,
of which organizations of up to ${maxPeopleForEvents} people tell all, and say once a minute that they are there. Each but the last two wakes every client that hears of it, their own too, with one
exception: the end of typing, which a client tells with the message, reaches the others together with it. Whatever else
comes while a client is answered is counted as if it woke it once more.`;
