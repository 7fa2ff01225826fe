import { type Template, parseTemplate } from '#mail/template/parse-template.ts';
import { render } from '#mail/template/render.ts';
import { textFromHtml } from '#mail/text/text-from-html.ts';

/** The texts of a letter before their variables are filled; null for a body that is not given. */
export type LetterTexts = { subject: string; html: string | null; text: string | null };
type Signature = { html: string | null; text: string | null };

/** Remembers parsed templates for as long as a batch lasts, in which the same few texts are filled again and again. */
export function templateCache(): (source: string) => Template {
  const known = new Map<string, Template>();
  return (source) => {
    const parsed = known.get(source) ?? parseTemplate(source);
    known.set(source, parsed);
    return parsed;
  };
}

/**
 * Fill a letter. `sources` are asked for variables in order; `seed` decides spintax. With HTML alone the plain-text part is derived from it,
 * with text alone there is no HTML. Throws TemplateTooLarge.
 */
export function renderLetter(
  texts: LetterTexts,
  {
    sources,
    seed,
    signature,
    parsed,
  }: { sources: readonly object[]; seed: string; signature: Signature | null; parsed: (source: string) => Template },
): LetterTexts & { unresolved: string[] } {
  const subject = render(parsed(texts.subject), { sources, seed, escapeHtml: false, singleLine: true });
  const html = texts.html === null ? null : render(parsed(texts.html), { sources, seed, escapeHtml: true });
  const text = texts.text === null ? null : render(parsed(texts.text), { sources, seed, escapeHtml: false });
  const signed = signature?.html && html ? `${html.text}<br><br>${signature.html}` : (html?.text ?? null);
  const signedText = signature?.text && text ? `${text.text}\n\n-- \n${signature.text}` : (text?.text ?? null);
  return {
    subject: subject.text,
    html: signed,
    text: signedText ?? (signed === null ? null : textFromHtml(signed)),
    unresolved: [...new Set([...subject.unresolved, ...(html?.unresolved ?? []), ...(text?.unresolved ?? [])])],
  };
}
