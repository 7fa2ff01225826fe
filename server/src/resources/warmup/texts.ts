// What the inboxes of the pool write to each other: short plain mails as people at work write them. Pure: thread and place give the text.
import { drawFor } from '#platform/random.ts';

type Conversation = { subject: readonly string[]; lines: readonly (readonly string[])[] };

/** Each place of an exchange has its sentences, of which one is taken. */
const CONVERSATIONS: readonly Conversation[] = [
  {
    subject: ['Notes from this week', 'Notes from our last call', 'The notes I promised'],
    lines: [
      [
        'I have put my notes in order at last. Do you want them as they are, or shall I write a summary first?',
        'My notes are ready. A page and a half. Shall I send them as they are?',
      ],
      ['As they are is fine, I read fast. Thank you for doing this.', 'A summary would help me more, if it is not too much work.'],
      ['Good, you will have them this afternoon.', 'Will do. Give me until tomorrow morning.'],
      ['Perfect, no hurry.', 'Thanks, that is early enough.'],
    ],
  },
  {
    subject: ['Lunch next week?', 'Lunch on one of these days?', 'Are you in town next week?'],
    lines: [
      [
        'I am near your office next week and would be glad to have lunch. Does any day suit you?',
        'It has been a while. Would you have time for lunch next week?',
      ],
      ['Good idea. Wednesday or Thursday, after twelve?', 'With pleasure. I am free on Tuesday and on Thursday.'],
      ['Thursday it is. Same place as last time?', 'Thursday suits me best. Shall I book a table?'],
      ['Yes please, see you there.', 'Great. See you on Thursday.'],
    ],
  },
  {
    subject: ['Draft of the agenda', 'Agenda for Monday', 'What should be on the agenda?'],
    lines: [
      [
        'Before I send the agenda around: is anything missing from your side? So far there are budget, hiring and the move.',
        'I am writing the agenda for Monday. Do you need a place on it?',
      ],
      ['Ten minutes for the new printers would be good.', 'Nothing from me this time. Could we keep it to an hour?'],
      ['Noted. I will put that at the beginning.', 'I will try. It depends on how long the budget takes.'],
      ['Thanks, that works.', 'Fair enough.'],
    ],
  },
  {
    subject: ['A question about the spreadsheet', 'The figures for last month', 'One figure I do not understand'],
    lines: [
      [
        'The total on the second sheet is not what I get when I add the rows. Do you know which of us is right?',
        'Could you look at row 14 with me? I think one invoice is counted twice.',
      ],
      ['You are right, one row was hidden. I have corrected it.', 'Good eye. I will look at it today and tell you.'],
      ['Thank you, now it adds up.', 'No hurry, as long as it is before the end of the month.'],
      ['Glad that we looked.', 'It will be.'],
    ],
  },
  {
    subject: ['Book recommendation', 'That book you mentioned', 'Something to read'],
    lines: [
      [
        'What was the name of the book that you told us about? I would like to order it for the weekend.',
        'You mentioned a book on writing well. Do you remember who wrote it?',
      ],
      ['I have to look it up at home, I will write tonight.', 'I can lend you mine, it lies on my desk.'],
      ['That is kind, thank you.', 'Even better. I will come by.'],
      ['Enjoy it!', 'Any time.'],
    ],
  },
  {
    subject: ['Running ten minutes late', 'Moving our call', 'Could we talk a little later?'],
    lines: [
      [
        'My train stands still. Could we begin a quarter of an hour later?',
        'Something has come up in the morning. Is the afternoon possible for our call?',
      ],
      ['Of course, just ring when you are there.', 'Yes, three or half past four are both fine.'],
      ['Thank you for your patience.', 'Half past four then. I will call you.'],
      ['No problem at all.', 'Until then.'],
    ],
  },
  {
    subject: ['Thank you for yesterday', 'It was good to see you', 'Thanks for your help'],
    lines: [
      [
        'Thank you for taking so much time yesterday. It has helped us to decide.',
        'It was good to see the workshop. The whole team talked about it on the way back.',
      ],
      ['It was a pleasure. Tell me how it goes on.', 'Glad to hear it. Come again whenever you like.'],
      ['I will. We begin next month.', 'We will, and we bring cake next time.'],
      ['All the best for it!', 'Then you are twice as welcome.'],
    ],
  },
  {
    subject: ['Photos from the event', 'The pictures', 'Pictures of Thursday evening'],
    lines: [
      ['Did anybody on your side take pictures? Ours are all blurred.', 'I have about forty pictures of the evening. Where shall I put them?'],
      ['I took a few. Let me choose the good ones.', 'The shared folder would be best, then everybody finds them.'],
      ['Thank you. Five or six are enough.', 'Done. Tell me if one should not be there.'],
      ['You will have them today.', 'They are lovely, thank you.'],
    ],
  },
];

const GREETINGS = ['Hi', 'Hello', 'Dear', 'Good morning'];
const CLOSINGS = ['Best', 'Best regards', 'Kind regards', 'Thanks', 'Cheers'];

type Person = { email_address: string; display_name: string | null };
type About = { thread_id: string; place: number };

const pick = <T>(list: readonly T[], ...parts: (string | number)[]): T => list[Math.floor(drawFor('warm-up text', ...parts) * list.length)]!;

/** What somebody is called in a mail: the first word of their name, or the address up to its first mark. */
function callName({ email_address: address, display_name: name }: Person): string {
  const word = name?.trim().split(/\s+/)[0] ?? '';
  if (word !== '') return word;
  const local = address.slice(0, address.indexOf('@')).split(/[._+-]/)[0]!;
  return local.slice(0, 1).toUpperCase() + local.slice(1);
}

/** Subject and plain text of one mail of an exchange, from one inbox to the other. */
export function textOf({ thread_id: thread, place }: About, from: Person, to: Person): { subject: string; text: string } {
  const { subject, lines } = pick(CONVERSATIONS, thread);
  const title = pick(subject, thread, 'subject');
  const line = pick(lines[Math.min(place, lines.length - 1)]!, thread, place);
  const greeting = `${pick(GREETINGS, thread, place, 'greeting')} ${callName(to)},`;
  const closing = `${pick(CLOSINGS, thread, place, 'closing')},\n${callName(from)}`;
  return { subject: place === 0 ? title : `Re: ${title}`, text: `${greeting}\n\n${line}\n\n${closing}\n` };
}
