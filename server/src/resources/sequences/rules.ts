import { parseTemplate } from '#mail/template/parse-template.ts';
import { Refusal } from '#platform/refusal.ts';

export type Variant = { id: string; subject: string; body_html: string; body_text: string; disabled: boolean };
/** The test of variants ends by itself: once each was sent `min_sends` times, the best by `metric` becomes the winner. */
export type AutoWinner = { metric: 'reply' | 'click' | 'open'; min_sends: number };
export type Step = {
  id: string;
  step_order: number;
  delay_minutes: number;
  subject: string;
  body_html: string;
  body_text: string;
  variants: Variant[] | null;
  /** Of a variant, or the step's own where its own text has won. */
  winning_variant_id: string | null;
  auto_winner: AutoWinner | null;
};

type VariantBody = { id?: string | undefined; subject: string; body_html: string; body_text: string; disabled: boolean };
/** A step as a caller writes it; what is not given keeps its value, or begins empty. */
export type StepBody = {
  step_order?: number | undefined;
  delay_days?: number | undefined;
  delay_minutes?: number | undefined;
  subject?: string | undefined;
  body_html?: string | undefined;
  body_text?: string | undefined;
  variants?: VariantBody[] | null | undefined;
  winning_variant_id?: string | null | undefined;
  auto_winner?: AutoWinner | null | undefined;
};

export const MAX_STEPS = 100;
export const MAX_VARIANTS = 26;
const MINUTES_A_DAY = 1440;
/** No step waits longer than a year. */
export const MAX_DELAY_MINUTES = 365 * MINUTES_A_DAY;

const refused = (message: string, param: string) => new Refusal('validation_failed', message, { param });

/** The wait in whole days, which leaves out the hours that are over. */
export const delayDays = (minutes: number) => Math.floor(minutes / MINUTES_A_DAY);

/** Minutes are the more exact word; days count where they stand alone. */
const delayOf = (body: StepBody, before: number) => body.delay_minutes ?? (body.delay_days === undefined ? before : body.delay_days * MINUTES_A_DAY);

export const emptyStep = (id: string): Step => ({
  id,
  step_order: 0,
  delay_minutes: 0,
  subject: '',
  body_html: '',
  body_text: '',
  variants: null,
  winning_variant_id: null,
  auto_winner: null,
});

/** The step with what `body` says, its place apart. `mint` makes ids for new variants; `at` is where the body stands in the request. */
export function written(step: Step, body: StepBody, mint: () => string, at = ''): Step {
  refuseBrokenTexts(body, at);
  const variants = body.variants === undefined ? step.variants : variantsFrom(body.variants, step.variants ?? [], mint, at);
  const isThere = (id: string) => variants !== null && (id === step.id || variants.some((one) => one.id === id));
  if (body.winning_variant_id && !isThere(body.winning_variant_id)) throw refused('This step has no such variant.', `${at}winning_variant_id`);
  if (body.auto_winner && !variants) throw refused('There are no variants among which a winner could be found.', `${at}auto_winner`);
  const winner = body.winning_variant_id === undefined ? step.winning_variant_id : body.winning_variant_id;
  return {
    ...step,
    delay_minutes: delayOf(body, step.delay_minutes),
    subject: body.subject ?? step.subject,
    body_html: body.body_html ?? step.body_html,
    body_text: body.body_text ?? step.body_text,
    variants,
    // A winner that is dropped with its variant leaves the race open again.
    winning_variant_id: winner && isThere(winner) ? winner : null,
    // Without variants there is nothing left to decide.
    auto_winner: variants ? (body.auto_winner === undefined ? step.auto_winner : body.auto_winner) : null,
  };
}

const TEXTS = ['subject', 'body_html', 'body_text'] as const;

/** A placeholder that is none would go out to everybody as it stands, so it is refused where it is written, with its place in the text. */
function refuseBrokenTexts(body: StepBody, at: string): void {
  const all = [{ texts: body as Partial<Record<(typeof TEXTS)[number], string>>, at }];
  for (const [index, texts] of (body.variants ?? []).entries()) all.push({ texts, at: `${at}variants[${index}].` });
  for (const one of all) {
    for (const name of TEXTS) {
      const [problem] = parseTemplate(one.texts[name] ?? '').problems;
      if (problem !== undefined) throw refused(`This is no template: ${problem}.`, `${one.at}${name}`);
    }
  }
}

/** The variants that replace the old ones. A known id stays, so that its sends keep their place; one without an id is new. */
function variantsFrom(bodies: VariantBody[] | null, before: readonly Variant[], mint: () => string, at: string): Variant[] | null {
  if (!bodies?.length) return null;
  const known = new Set(before.map((one) => one.id));
  return bodies.map(({ id, subject, body_html, body_text, disabled }, index) => {
    // Taken out as it is met: the same id a second time is unknown.
    if (id !== undefined && !known.delete(id)) throw refused('This step has no such variant, or it is named twice.', `${at}variants[${index}].id`);
    return { id: id ?? mint(), subject, body_html, body_text, disabled };
  });
}

/** The steps in this order, numbered from 0. Steps whose number stays are the very same objects. */
export const numbered = (steps: readonly Step[]): Step[] =>
  steps.map((step, index) => (step.step_order === index ? step : { ...step, step_order: index }));

/** A follow-up without a subject goes into the thread before it; the first step has none. */
export function requireFirstSubject(steps: readonly Step[], at = ''): void {
  const first = steps[0];
  if (!first) return;
  if (first.subject.trim() === '') throw refused('The first step needs a subject.', `${at}subject`);
  const blank = first.variants?.findIndex((one) => one.subject.trim() === '') ?? -1;
  if (blank >= 0) throw refused('Every variant of the first step needs a subject.', `${at}variants[${blank}].subject`);
}

export type StepText = Pick<Step, 'subject' | 'body_html' | 'body_text'>;

/** The texts that a step may send: the winner's alone, or its own, which is the first variant, and those of the variants not disabled. */
export function openTexts(step: Pick<Step, 'id' | 'variants' | 'winning_variant_id'> & StepText): { variantId: string | null; text: StepText }[] {
  const winner = step.variants?.find((one) => one.id === step.winning_variant_id);
  if (step.variants && step.winning_variant_id === step.id) return [{ variantId: null, text: step }];
  if (winner) return [{ variantId: winner.id, text: winner }];
  const open = (step.variants ?? []).filter((one) => !one.disabled);
  return [{ variantId: null, text: step }, ...open.map((text) => ({ variantId: text.id, text }))];
}
