import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import PostalMime from 'postal-mime';
import { compose, type Letter } from '#mail/compose/compose.ts';
import { parseMessage } from '#mail/parse/parse-message.ts';
import { login, send } from './submission.ts';
import { watching } from './watch.ts';
import { type MailWorld, startMailWorld } from './world.ts';

let world: MailWorld;
before(async () => {
  world = await startMailWorld();
});
after(() => world?.stop());

const PHRASES: Record<string, string> = {
  ascii: 'From here on = nothing but plain words, "quoted" and not',
  french: 'Où êtes-vous ? Ça marche, l’été prochain à Noël',
  german: 'Größe, Übermut & Straße für 100 €',
  polish: 'Zażółć gęślą jaźń',
  greek: 'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία',
  russian: 'Съешь же ещё этих мягких французских булок',
  hebrew: 'דג סקרן שט בים מאוכזב',
  arabic: 'نص حكيم له سر قاطع وذو شأن عظيم',
  hindi: 'ऋषियों को सताने वाले दुष्ट राक्षसों के राजा',
  thai: 'เป็นมนุษย์สุดประเสริฐเลิศคุณค่า',
  chinese: '視野無限廣，窗外有藍天；简体中文也在这里',
  japanese: 'いろはにほへと ちりぬるを 田中様',
  korean: '키스의 고유조건은 입술끼리 만나야 하고',
  emoji: '👩🏽‍🚀 lifts off 🚀 with a 🏳️‍🌈',
  combining: 'Z̷a̶l̸g̵o é (decomposed) é',
};

const letterIn = (script: string, phrase: string): Letter => ({
  messageId: `<letter-${script}@sender.test>`,
  date: new Date('2026-03-02T09:15:00Z'),
  from: { email: 'ann@sender.test', name: `Ann ${phrase.slice(0, 20)}` },
  to: [{ email: 'everybody@people.test', name: `${phrase.slice(0, 12)}, Sam` }],
  replyTo: { email: 'bob@sender.test', name: phrase.slice(0, 30) },
  subject: `${phrase} – ${phrase} – ${phrase}`,
  text: `${phrase}\n.\n..\nFrom ${phrase}\n${`${phrase} `.repeat(30)}\n\nBye\n`,
  html: `<p title="${script}">${phrase.replaceAll('&', '&amp;')}</p>\n<p>${'long '.repeat(400)}</p>\n`,
  attachments: [{ filename: `${script} ${phrase.slice(0, 40)}.txt`, contentType: 'text/plain; charset=utf-8', content: Buffer.from(phrase) }],
  headers: [{ name: 'List-Unsubscribe', value: `<https://sender.test/u/${'0123456789'.repeat(9)}>` }],
  seed: `snd_${script}`,
});

test('letters in many scripts come out of Dovecot byte for byte as we composed them, and are read as they were meant', async () => {
  const letters = Object.entries(PHRASES).map(([script, phrase]) => letterIn(script, phrase));
  await watching(world, world.everybody.imap, async ({ arrivals }) => {
    const session = await login(world, world.senders[0]!.smtp);
    for (const letter of letters) await send(session, 'everybody@people.test', compose(letter));
    await session.close();
    const stored = await arrivals(letters.length);
    assert.equal(stored.length, letters.length);
    for (const letter of letters) {
      const source = stored.find((one) => one.source.includes(`Message-ID: ${letter.messageId}`))?.source ?? Buffer.alloc(0);
      const composed = compose(letter);
      // Servers on the way write their own lines on top, and nothing else.
      assert.equal(source.subarray(source.length - composed.length).toString('utf8'), composed.toString('utf8'), letter.messageId);
      await readsAs(source, letter);
    }
  });
});

/** A part in base64 carries its line ends as they travelled. */
const lines = (text: string | undefined) => text?.replaceAll('\r\n', '\n').trim();

async function readsAs(source: Buffer, letter: Letter): Promise<void> {
  const read = await PostalMime.parse(source);
  assert.deepEqual([read.subject, read.from?.name, read.to?.[0]?.name], [letter.subject, letter.from.name, letter.to[0]?.name]);
  assert.deepEqual([lines(read.text), lines(read.html)], [letter.text?.trim(), letter.html?.trim()]);
  assert.deepEqual([read.replyTo?.[0]?.name, read.attachments[0]?.filename], [letter.replyTo?.name, letter.attachments?.[0]?.filename]);
  assert.equal(Buffer.from(read.attachments[0]?.content as ArrayBuffer).toString('utf8'), letter.attachments?.[0]?.content.toString('utf8'));
  const ours = await parseMessage(source);
  assert.deepEqual([ours.messageId, ours.subject, ours.from?.name], [letter.messageId, letter.subject, letter.from.name]);
  assert.equal(ours.text.trim(), letter.text?.trim());
}
