// Letters whose bytes are kept in golden/mail, for a reader to check and a test to compare.
import { compose, type Letter } from './compose.ts';

const PLAIN: Letter = {
  messageId: '<0f3a9c2e@northwind.example>',
  date: new Date('2026-03-02T09:15:00Z'),
  from: { email: 'dana@northwind.example', name: 'Dana Whitfield' },
  to: [{ email: 'sam@contoso.example', name: 'Sam Okafor' }],
  subject: 'A question about your warehouse',
  text: 'Hi Sam,\n\nFrom what I read, you moved to Leeds = bigger racks.\nFrom there, who plans the shifts?\n\n.\nDana \n',
  html: null,
  seed: 'snd_plain',
};

const ACCENTS: Letter = {
  ...PLAIN,
  from: { email: 'rené@exemple.example', name: 'René "Zoé" Lefèvre' },
  to: [{ email: 'info@bücher.example', name: 'Müller, Jürgen' }],
  cc: [{ email: 'copy@contoso.example', name: 'Okafor, Sam' }, { email: 'second@contoso.example' }],
  replyTo: { email: 'antworten@northwind.example' },
  subject: 'Idée pour l’été',
  text: 'Bonjour Jürgen,\n\nça marche ? Voilà une ligne assez longue pour qu’elle doive être coupée quelque part avant sa fin.\n',
  html: '<p>Bonjour Jürgen,</p>\n<p style="color:#333">ça marche&nbsp;? <a href="https://northwind.example/?a=1&amp;b=2">Voilà</a>.</p>\n',
  headers: [
    { name: 'List-Unsubscribe', value: '<https://northwind.example/u/8b1f0c63d2e94d0f9a6be3c9a1d75f20>, <mailto:u@northwind.example?subject=stop>' },
    { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
  ],
  seed: 'snd_accents',
};

const REPLY: Letter = {
  ...PLAIN,
  subject: 'Re: A question about your warehouse',
  inReplyTo: '<CAF9x3kQ7-long-provider-id-0000000000000001@mail.contoso.example>',
  references: [
    PLAIN.messageId,
    '<CAF9x3kQ7-long-provider-id-0000000000000000@mail.contoso.example>',
    '<CAF9x3kQ7-long-provider-id-0000000000000001@mail.contoso.example>',
  ],
  text: 'Thursday at ten, then.\n',
  seed: 'snd_reply',
};

const ATTACHMENTS: Letter = {
  ...PLAIN,
  subject: 'The offer you asked for',
  text: 'Attached.\n',
  html: '<p>Attached.</p><img src="cid:logo@northwind.example" alt="Northwind">\n',
  attachments: [
    { filename: 'offer.csv', contentType: 'text/csv; charset=utf-8', content: Buffer.from('item,price\nrack,120\n') },
    {
      filename: 'Angebot für die Schichtplanung – zweite, überarbeitete Fassung.pdf',
      contentType: 'application/pdf',
      content: Buffer.alloc(130, 'pdf '),
    },
    { filename: 'logo.png', contentType: 'image/png', content: Buffer.from('89504e470d0a1a0a', 'hex'), contentId: 'logo@northwind.example' },
  ],
  seed: 'snd_attachments',
};

const JAPANESE: Letter = {
  ...PLAIN,
  to: [{ email: 'tanaka@contoso.example', name: '田中 太郎' }],
  subject: '来週の打ち合わせの日程についてのご相談と、先日お送りしました資料に関する補足のご説明（ご返信は木曜日までで）',
  text: '田中様\n\nお世話になっております。来週の打ち合わせについてご相談させてください。\n',
  seed: 'snd_japanese',
};

/** File name in golden/mail to its content, a message with CRLF lines in which every byte is UTF-8. */
export function goldenMails(): Record<string, string> {
  const letters = { plain: PLAIN, accents: ACCENTS, reply: REPLY, attachments: ATTACHMENTS, japanese: JAPANESE };
  return Object.fromEntries(Object.entries(letters).map(([name, letter]) => [`${name}.eml`, compose(letter).toString('utf8')]));
}
