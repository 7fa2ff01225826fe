import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asksToStop } from './opt-out.ts';
import { costOf } from '#testing/cost.ts';

const QUOTED = '\n\nOn Mon, 7 Jan 2030 at 09:00, Ann <ann@sender.test> wrote:\n> Reply "unsubscribe" and I will stop emailing you.\n';
const asks = (text: string, subject = 'Re: Hello') => asksToStop({ subject, text });

const WISHES = [
  'unsubscribe',
  'Unsubscribe.',
  'UNSUBSCRIBE!!',
  '"unsubscribe"',
  'Please unsubscribe',
  'unsubscribe me please',
  'Unsubscribe please, thanks',
  'Stop',
  'STOP!',
  'Stop emailing',
  'stop spam',
  'Remove me',
  'Remove',
  'remove me now',
  'Please remove me.',
  'Take me off',
  'Opt out',
  'opt-out',
  'No more emails',
  "Don't contact me again",
  'Don’t email me',
  'Do not contact me.',
  'I want to unsubscribe',
  'Leave me alone',
  'Hi Ann,\n\nunsubscribe\n\nBob',
  'Hello,\nplease remove me\nRegards, Bob',
  'STOP\n\nBob Smith\nCEO',
  'Please take me off your list.',
  "I'm not interested, please remove me from your list",
  'We are not interested so please take us off your mailing list',
  "I am not the right person and don't want to receive any more emails",
  'Unsubscribe from this list',
  'Not interested. Please remove me from your mailing list.',
  'Kindly remove my email from your database, thank you.',
  'Could you please unsubscribe me?',
  'Can you remove me from your list?',
  'This is the third mail. Stop emailing me.',
  'Please stop sending me these emails',
  'I would like to be removed from this.',
  'We wish to opt out of your mails.',
  "I don't want to receive any more emails from you.",
  'I have told you before, do not contact me again.',
  'Please delete my address from all your records',
  'Abmelden',
  'Bitte austragen',
  'Bitte löschen Sie mich aus Ihrer Liste.',
  'Ich möchte keine weiteren E-Mails mehr.',
  'Schreiben Sie mir bitte nicht mehr.',
  'Désabonnez-moi',
  'Je ne souhaite plus recevoir vos messages.',
  'Darme de baja',
  'No deseo recibir más correos.',
  'Cancellatemi',
  'Afmelden',
  'Descadastrar',
  'Wypisz mnie',
  'Odhlásit',
  'Ta bort mig',
  'Afmeld mig',
  'Poista minut listalta',
  'Leiratkozás',
  'Отписаться',
  'Удалите меня из рассылки',
  'Відписатися',
  '配信停止',
  '退订',
  '수신거부',
  'hủy đăng ký',
  'הסר',
  'إلغاء الاشتراك',
  'Διαγραφή',
  'Berhenti berlangganan',
];

const OTHERS = [
  'Please stop by our office on Tuesday.',
  'Stop by any time!',
  'We cannot stop using it, thanks.',
  'How do I unsubscribe people from my own lists?',
  'Do your customers often unsubscribe?',
  'Non-stop fun. Tell me more.',
  'Remove the second item from the quote, please.',
  'Please remove the attachment.',
  'I will not unsubscribe, this is interesting.',
  "Don't stop emailing me, I love these.",
  'If you want us to remove you from our list, tell me.',
  'What happens if people ask you to stop emailing them?',
  'Take me off hold and call me.',
  'Take me through the offer.',
  'The last stop is the main station.',
  'Can you remove the limit?',
  'Stop?',
  'Please contact me again in May.',
  "Don't email me before Monday, I am away.",
  'We had to end this.\nBut tell me more.',
  'Interested. Does your tool add an unsubscribe link?',
  'Our list has 400 names; can we remove duplicates from your list?',
  'No, thanks.',
  'Not interested.',
  'I do not want to unsubscribe.',
  'Why would I want to unsubscribe?',
  'Bitte kommen Sie vorbei.',
  'Abmelden können wir uns später.',
  'Baja California is nice.',
  'Wenn ich keine E-Mails mehr möchte, melde ich mich.',
  'Can we stop the trial and buy instead?',
  'Delete my account? No, upgrade it!',
  'cancel the meeting please',
  'Sounds good.',
  '',
  'Yes',
];

test('people who ask to be left alone are understood, with and without the quoted mail', () => {
  for (const text of WISHES) for (const body of [text, text + QUOTED]) assert.notEqual(asks(body), null, JSON.stringify(body));
  for (const subject of ['unsubscribe', 'Unsubscribe please', 'STOP']) assert.equal(asks('', subject), subject);
});

test('people who speak of something else are not taken off', () => {
  for (const text of OTHERS) for (const body of [text, text + QUOTED]) assert.equal(asks(body), null, JSON.stringify(body));
  // What they quote is ours, and so is the subject of an answer.
  for (const quote of [
    '> unsubscribe',
    'Am 7. Januar 2030 schrieb Ann:\nabmelden',
    '-----Original Message-----\nunsubscribe',
    'From: Ann\nunsubscribe',
  ])
    assert.equal(asks(`Tell me more.\n\n${quote}`), null, quote);
  assert.equal(asks('Tell me more.', 'Re: How to unsubscribe'), null);
});

test('long and hostile texts are read in no time', async () => {
  const read = () => {
    for (const unit of [
      'please ',
      'stop ',
      'remove me from your ',
      'on a ',
      '> ',
      "don't want to receive any more ",
      '. ',
      '\n',
      'take me off your a b ',
    ])
      asks(unit.repeat(200_000 / unit.length));
  };
  assert.ok((await costOf(read)) < 25);
});
