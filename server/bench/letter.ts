// The letter that every contender sends: plain text and HTML, about 2.8 KB on the wire, made out to each recipient.

const PARAGRAPHS = [
  'I came across your team while reading about how warehouses of your size plan their nightly runs, and one thing stood out: ' +
    'the hand-over between the shift plan and the carrier portal still seems to be done by hand.',
  'We have spent the last three years on exactly this step. Our customers keep their systems and their carriers; we read both sides, ' +
    'propose the plan, and leave the last word to the dispatcher. It usually takes a week to set up.',
  'Two of your neighbours did it this spring. The night shift now starts with a plan that holds, and the morning shift starts on time, ' +
    'because nobody has to find out first which of the trucks at the gate is meant for which of the ramps.',
  'Would a call of fifteen minutes next week be of use? I would show you what the plan of one of your own days would have looked like, ' +
    'and you could judge it against what really happened.',
];
const STYLE = 'margin:0 0 14px;font-family:Arial,sans-serif;font-size:14px;line-height:1.5';

/** Subject and bodies; `name` may be a template's variable as well as a name. */
export function letterTo(name: string) {
  const html = PARAGRAPHS.map((text) => `<p style="${STYLE}">${text}</p>`).join('\n');
  return {
    subject: `${name}, a thought on your nightly plan`,
    text: `Hello ${name},\n\n${PARAGRAPHS.join('\n\n')}\n\nKind regards\nAnn Sender\nSender Ltd, 1 High Street, Anytown`,
    html: `<html><body><p>Hello ${name},</p>\n${html}\n<p>Kind regards<br>Ann Sender<br>Sender Ltd, 1 High Street, Anytown</p></body></html>`,
  };
}

export const addressOf = (nth: number) => `person${nth}@recipient.test`;
export const nameOf = (nth: number) => `Person ${nth}`;

/** The one login that the sending server knows. */
export const USER = { username: 'bench@sender.test', password: 'a rather long password 42' };
