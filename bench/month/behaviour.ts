import { maxPeopleForEvents } from "../../shared/core/presence/rules.ts";

/**
 * The assumed behaviour of a team that uses chat heavily, from which the costs of waiting (waiting.ts) and of a month
 * (month.ts) are computed.
 */

/** What one person does on a working day, and how many of these a month has. */
export const day = {
  /** In a month. */
  workingDays: 22,
  connectedHours: 8,
  /** Messages to channels, and to one person directly. */
  channelMessages: 8,
  directMessages: 2,
  /** The other connected users who receive a channel's events; in a smaller team all of them. */
  recipients: 10,
  /** A typing event at the start of a message and one when it is sent. */
  typingPerMessage: 2,
  /** Received messages that are marked as read in one request. */
  readTogether: 3,
  reactions: 3,
  edits: 1,
  /** Fetches of 100 messages. */
  fetches: 40,
  /** How often the app is opened; in a small organization this causes a presence event for everybody. */
  registrations: 2,
  /** Once a minute while connected. */
  presencePings: 480,
};

/** What a team does in a month. */
export interface TeamMonth {
  people: number;
  /** Hours for which clients are connected, of all people together. */
  clientHours: number;
  messages: number;
  /** How often each operation of operations.ts happens, by name; waiting is counted separately. */
  operations: Record<string, number>;
  /** How often the function runs that notifies wake-up queues. */
  notifierRuns: number;
  /** How often a client receives an event, which ends its wait. */
  wakeUps: number;
}

/** A month of `people`; `traffic` multiplies all that they do, but not registrations, presence and connected hours. */
export function monthOf(people: number, traffic = 1): TeamMonth {
  const days = people * day.workingDays;
  const otherRecipients = Math.min(people - 1, day.recipients);
  const [toChannels, toPersons] = [day.channelMessages * traffic, day.directMessages * traffic];
  const messages = toChannels + toPersons;
  const marks = (toChannels * otherRecipients + toPersons) / day.readTogether;
  const [reactions, edits] = [day.reactions * traffic, day.edits * traffic];
  // The final typing event and the message arrive in one batch of the table's stream and cause one wake-up, so that
  // a message causes as many wake-ups as it has typing events.
  const channelEvents = toChannels * day.typingPerMessage + reactions + edits;
  const directEvents = toPersons * day.typingPerMessage;
  // Larger organizations have no presence events.
  const arrivals = people <= maxPeopleForEvents ? day.registrations : 0;
  // Senders receive their own events too; read marks only concern their user. Arrivals wake nobody.
  const wakeUps = channelEvents * (otherRecipients + 1) + directEvents * 2 + marks;
  return {
    people,
    clientHours: days * day.connectedHours,
    messages: messages * days,
    operations: {
      "send to a channel": toChannels * days,
      "send directly": toPersons * days,
      "fetch 100 of a topic": day.fetches * traffic * days,
      "add a reaction": reactions * days,
      "edit a message": edits * days,
      "report typing": messages * day.typingPerMessage * days,
      "mark one message as read": marks * days,
      "register, all read": day.registrations * days,
      "presence ping, incremental": day.presencePings * days,
    },
    notifierRuns: (channelEvents + directEvents + marks + arrivals) * days,
    wakeUps: wakeUps * days,
  };
}

/** A description of this behaviour for docs/cost.md. */
export const behaviourInWords = `Each person is connected for ${day.connectedHours} hours on ${day.workingDays} days a month. On each of these days they

- send ${day.channelMessages} messages to channels, each received by ${day.recipients} other connected users (or by everybody in a smaller team);
- send ${day.directMessages} direct messages, each to one person;
- cause ${day.typingPerMessage} typing notifications to the recipients of each message;
- mark the messages that they receive as read, ${day.readTogether} at a time;
- add ${day.reactions} reactions, edit ${day.edits} message, and fetch 100 messages ${day.fetches} times;
- open the app ${day.registrations} times, which sends everybody a presence event in organizations of up to ${maxPeopleForEvents} people;
- send a presence ping once a minute, unless they use the web client.

Every event except presence wakes each client that receives it, including the sender's own; the end of typing arrives with the message.`;
