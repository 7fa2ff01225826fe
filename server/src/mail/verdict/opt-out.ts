// Whether a person's answer asks for no further mail. It reads what they wrote themselves, and only words that leave no doubt: whoever is taken off
// by mistake never hears from us again, whoever is overlooked has still stopped the sequence by answering.
import type { InboundMessage } from '../parse/message.ts';
import { WHOLE_LINES, WITHIN } from './opt-out-words.ts';

const MOST_LINES = 12;
const MOST_LENGTH = 1_000;

/** Where the words of others begin: quotes, the line before them in many tongues, headers of forwarded mail, signatures. */
const FOREIGN = [
  /^\s*>/,
  /^\s*(?:-{2,}|_{3,}|\*{3,})\s*$/,
  /^-- ?$/,
  /^\s*-{2,}\s*(?:original|forwarded|ursprüngliche|weitergeleitete|message d'origine|mensaje original|messaggio originale)/i,
  /^\s*_{10,}/,
  /^\s*\*?(?:from|von|de|da|van|från|fra|od|lähettäjä|feladó|kimden|от|від|发件人|寄件者|差出人|보낸 사람)\*?\s*:/i,
  /^\s*(?:on|am|le|el|il|em|op|den|dne|dnia|w dniu)\b.{4,200}(?:wrote|schrieb|écrit|escribió|ha scritto|escreveu|schreef|skrev|napsal|napisał)/i,
  /^\s*(?:on|am|le|el|il|em|op|den|dne|w dniu)\b.{0,60}\d{4}/i,
  /(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|kirjoitti|написал|пишет|写道|のメール|작성)\s?:\s*$/i,
  /^\s*(?:sent from my|von meinem|envoyé de(?:puis)? mon|enviado desde|inviato da|get outlook for)/i,
];

const HELLO =
  'hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|guten (?:tag|morgen)|liebe[rs]?|sehr geehrte[rs]?|bonjour|hola|buenos d[ií]as|ciao|' +
  'buongiorno|olá|beste|hej';
const GREETING = new RegExp(String.raw`^(?:${HELLO})\b[^.!?]{0,40}[,!.:]?$`, 'i');

const PLEASE = "please|pls|plz|kindly|bitte|s'il vous plaît|por favor|per favore|alstublieft|proszę|пожалуйста";
const THANKS = 'thanks|thank you|thx|danke|merci|gracias|grazie|obrigado|dank u|dziękuję|tack|tak|takk|kiitos|спасибо';
const APART = String.raw`[\s,:!.]+`;
const COURTESY = new RegExp(`^(?:${PLEASE}|${THANKS}|yes|no|ok)${APART}|${APART}(?:${PLEASE}|${THANKS}|now)$`, 'gi');
const MARKS = /^[\s"'“”„«»‘’([*_.,!;:#-]+|[\s"'“”„«»‘’)\]*_.,!;:。！-]+$/g;

const LINE = new RegExp(`^(?:${Object.values(WHOLE_LINES).flat().join('|')})$`, 'iu');
const SENTENCE = new RegExp(`(?<![\\p{L}\\p{N}])(?:${WITHIN.join('|')})(?![\\p{L}\\p{N}])`, 'iu');
/** In front of the words, within the same clause: then they speak of something else. */
const OTHERWISE =
  /\b(?:if|whether|how|why|when|unless|not|never|don['’]?t|didn['’]?t|no need|without|wenn|falls|ob|wie|nicht|si|comment|cómo|se|come)\b/i;
const CLAUSES = /[.!?,;:\n–—]|\b(?:and|so|but|und|aber|also|et|mais|y|pero|e|ma)\b/i;

/** The words by which the answer asks to be left alone; null when it does not. */
export function asksToStop({ subject, text }: Pick<InboundMessage, 'subject' | 'text'>): string | null {
  const lines = ownLines(text);
  // A subject of their own, with nothing but the wish in it; that of an answer is ours.
  if (isWish(subject) && lines.length <= 3) return subject.trim();
  const [first] = lines.filter((line) => !GREETING.test(line));
  if (first !== undefined && isWish(first)) return first;
  const own = lines.join('\n').replaceAll('’', "'");
  if (own.length > MOST_LENGTH) return null;
  const found = SENTENCE.exec(own);
  if (!found || OTHERWISE.test(own.slice(0, found.index).split(CLAUSES).at(-1)!) || endsAsQuestion(own.slice(found.index))) return null;
  return found[0];
}

function ownLines(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.slice(0, 8_000).split(/\r?\n/)) {
    if (FOREIGN.some((pattern) => pattern.test(line.slice(0, 300)))) break;
    if (line.trim() !== '') lines.push(line.trim());
    if (lines.length >= MOST_LINES) break;
  }
  return lines;
}

const MOST_WISH = 80;

function isWish(line: string): boolean {
  if (line.length > MOST_WISH || line.trim().endsWith('?')) return false;
  let bare = line.replaceAll('’', "'").replaceAll(MARKS, '');
  // "No more emails" begins with what is a courtesy elsewhere; "please, thanks" are two.
  for (let round = 0; round < 3; round++) {
    if (LINE.test(bare)) return true;
    bare = bare.replaceAll(COURTESY, '').replaceAll(MARKS, '');
  }
  return false;
}

/** "Can you remove me from your list?" is a wish all the same; "do people ask you to stop emailing them?" is none. */
function endsAsQuestion(rest: string): boolean {
  const mark = /[.!?\n]/.exec(rest);
  return mark?.[0] === '?' && !/^(?:please|kindly|pls|can you|could you|would you|remove|take|delete|stop)/i.test(rest);
}
