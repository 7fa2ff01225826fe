import { type Contact } from '#resources/contacts/index.ts';
import type { Inbox } from '#resources/inboxes/index.ts';
import { dress, linkTo } from '#resources/links/index.ts';
import { type Letter, renderLetter, type templateCache } from '#resources/sends/index.ts';
import type { Ctx } from '#world/ctx.ts';
import type { Row } from './store.ts';

/** Whose data fills the variables. */
export type StepReader = Pick<Contact, 'email' | 'attributes'>;

export type StepLetterParts = {
  campaign: Pick<Row, 'track_opens' | 'track_clicks' | 'inject_unsubscribe_footer'>;
  inbox: Pick<Inbox, 'email_address' | 'display_name' | 'signature_html' | 'signature_text'>;
  reader: StepReader;
  parsed: ReturnType<typeof templateCache>;
};

type Dressed = Pick<Letter, 'subject' | 'body_html' | 'body_text' | 'headers'> & Partial<Pick<Letter, 'track_opens' | 'track_clicks'>>;

/**
 * A step's text as its recipients see it: filled, signed, with the way out, links and pixel that belong to the send of this id. `urls` is where its
 * followed links lead. Throws TemplateTooLarge.
 */
export function stepLetter(
  ctx: Ctx,
  sendId: string,
  text: { subject: string; body_html: string; body_text: string },
  { campaign, inbox, reader, parsed }: StepLetterParts,
): { letter: Dressed; urls: string[] } {
  const about = { workspaceId: ctx.workspaceId, mode: ctx.mode, sendId };
  const wayOut = linkTo(ctx, 'unsubscribe', { ...about, place: 0 });
  const filled = renderLetter(
    { subject: text.subject, html: text.body_html || null, text: text.body_text || null },
    {
      // No attribute stands in for the way out.
      sources: [
        { unsubscribe_url: wayOut },
        (reader.attributes as object | null) ?? {},
        { email: reader.email, sender_name: inbox.display_name ?? '', sender_email: inbox.email_address },
      ],
      seed: sendId,
      signature: { html: inbox.signature_html, text: inbox.signature_text },
      parsed,
    },
  );
  const { track_opens: trackOpens, track_clicks: trackClicks, inject_unsubscribe_footer: hasFooter } = campaign;
  const { html, text: plain, urls } = dress(ctx, about, filled, { trackOpens, trackClicks, footer: hasFooter ? wayOut : null });
  return {
    letter: {
      subject: filled.subject,
      body_html: html,
      body_text: plain,
      headers: oneClick(wayOut),
      ...(trackOpens && { track_opens: true }),
      ...(trackClicks && { track_clicks: true }),
    },
    urls,
  };
}

/** What lets mail programs show a button of their own (RFC 2369, RFC 8058). */
const oneClick = (url: string) => [
  { name: 'List-Unsubscribe', value: `<${url}>` },
  { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
];

/** The subject of a follow-up that left its own blank. */
export const replySubject = (threadSubject: string) => (/^re:/i.test(threadSubject) ? threadSubject : `Re: ${threadSubject}`);
