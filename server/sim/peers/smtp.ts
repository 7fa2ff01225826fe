import type { SmtpSession } from '#mail/mail.ts';
import type { Grip, Taken } from './office.ts';
import { type Trouble, endsConversation } from './trouble.ts';

type Options = {
  login: string;
  grip: Grip;
  isCut: () => boolean;
  next: (at: Trouble['at'], login: string) => Trouble | undefined;
  take: (taken: Omit<Taken, 'at'>) => void;
};

/** One conversation with a sending server, as our client would tell of it. */
export function smtpSession({ login, grip, isCut, next, take }: Options): SmtpSession {
  let open = true;
  const answered = <A extends Trouble['answer']>(answer: A): A => {
    if (endsConversation(answer)) open = false;
    return answer;
  };
  const isOpen = () => open && !isCut();
  return {
    get usable() {
      return isOpen();
    },
    sizeLimit: null,
    async offer(envelope, message) {
      if (!isOpen()) return answered({ kind: 'broken', phase: 'mail', fault: 'closed', detail: 'The connection was lost.' });
      const trouble = next('offer', login);
      if (trouble?.at === 'offer') return answered(trouble.answer);
      grip.holding = { login, raw: message };
      return {
        kind: 'held',
        async release() {
          if (!isOpen()) return answered({ kind: 'unwritten', detail: 'The connection was gone before the dot.' });
          const late = next('dot', login);
          if (late?.at === 'dot') {
            if (late.accepted) take({ login, to: envelope.to, raw: message, known: false });
            return answered(late.answer);
          }
          take({ login, to: envelope.to, raw: message, known: true });
          return { kind: 'accepted', reply: { code: 250, enhanced: '2.0.0', text: 'queued' } };
        },
        abort: () => void (open = false),
      };
    },
    close: async () => void (open = false),
  };
}
