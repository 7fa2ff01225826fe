// Every text of a campaign against every contact that will get it: what would be missing, empty or too large.
import { RENDER_LIMIT, TemplateTooLarge, render } from '#mail/template/render.ts';
import { type Template, parseTemplate, variables } from '#mail/template/parse-template.ts';
import { type Step, openTexts } from '#resources/sequences/index.ts';
import { FAULT_CODES, type Fault, MOST_SAMPLES, faultOf } from './faults.ts';

/** A contact as its letters are filled: its id, the step that comes next, and where variables are looked up. */
export type Reader = { id: string; step: number; sources: readonly object[] };

type Part = 'subject' | 'html' | 'text';
type Checked = { step: Step; variantId: string | null; parts: Record<Part, Template>; asks: string[]; careful: Record<'subject' | 'body', boolean> };

export type TextCheck = {
  take(reader: Reader): void;
  /** What stands in the way, and what is only told. */
  faults(): { errors: Fault[]; warnings: Fault[] };
};

/** More than all attributes of a contact take. */
const LARGEST_VALUE = 80 * 1024;

/** Begin a check of these steps. Faults of the texts themselves are found at once, those of contacts as they are taken in. */
export function textCheck(steps: readonly Step[]): TextCheck {
  const texts = steps.flatMap((step) => openTexts(step).map(({ variantId, text }) => checkedOf(step, variantId, text)));
  const asked = [...new Set(texts.flatMap((one) => one.asks))];
  // Only the values that have no default, in a template of their own: filled once for each contact, it tells all that is missing.
  const asking: Template = { steps: asked.map((name) => ({ kind: 'value', path: name.split('.'), fallback: null })), problems: [] };
  const errors = new Map<string, Fault>();
  const warnings = new Map<string, Fault>();
  for (const one of texts) for (const fault of faultsOfText(one)) errors.set(keyOf(fault), fault);
  const note = (into: Map<string, Fault>, fault: Fault, id: string) => {
    const known = into.get(keyOf(fault)) ?? fault;
    // A text that is at fault for everybody needs no samples.
    if (known !== fault && known.count === null) return;
    known.count = (known.count ?? 0) + 1;
    if (known.sample_ids.length < MOST_SAMPLES) known.sample_ids.push(id);
    into.set(keyOf(known), known);
  };
  return {
    take(reader) {
      const missing = new Set(missingOf(asking, reader));
      for (const one of texts) {
        if (one.step.step_order < reader.step) continue;
        if (missing.size > 0) {
          for (const variable of one.asks) if (missing.has(variable)) note(warnings, faultAt(one, 'unresolved_variable', { variable }), reader.id);
        }
        for (const code of faultsFor(one, reader)) note(errors, faultAt(one, code), reader.id);
      }
    },
    faults: () => ({ errors: [...errors.values()].sort(byPlace), warnings: [...warnings.values()].sort(byPlace) }),
  };
}

/** By step, its own text before its variants, subject before body, whoever was looked at first. */
const placeOf = ({ step_order: order, variant_id: variant, code, variable }: Fault) =>
  [String(order).padStart(3), variant ?? '', String(FAULT_CODES.indexOf(code)).padStart(2), variable].join(' ');
const byPlace = (a: Fault, b: Fault) => (placeOf(a) < placeOf(b) ? -1 : 1);
const keyOf = (fault: Fault) => [fault.code, fault.step_id, fault.variant_id, fault.variable].join(' ');

const faultAt = ({ step, variantId }: Checked, code: Fault['code'], more: Partial<Fault> = {}) =>
  faultOf(code, { step_id: step.id, step_order: step.step_order, variant_id: variantId, ...more });

function checkedOf(step: Step, variantId: string | null, text: { subject: string; body_html: string; body_text: string }): Checked {
  const parts = { subject: parseTemplate(text.subject), html: parseTemplate(text.body_html), text: parseTemplate(text.body_text) };
  const all = Object.values(parts);
  const asks = [...new Set(all.flatMap((template) => variables({ ...template, steps: template.steps.filter(hasNoDefault) })))];
  const body = mayBeBlank(parts.html) && mayBeBlank(parts.text);
  return {
    step,
    variantId,
    parts,
    asks,
    careful: { subject: !isBlank(parts.subject) && mayBeBlank(parts.subject), body: body || all.some(mayBeTooLarge) },
  };
}

const hasNoDefault = (step: Template['steps'][number]) => step.kind === 'value' && step.fallback === null;
const isBlank = (template: Template) => template.steps.every((step) => step.kind === 'text' && step.text.trim() === '');

/** Whether nothing may be left of it once it is filled: no word stands in it that is not chosen or looked up. */
const mayBeBlank = ({ steps }: Template) =>
  steps.some((step) => step.kind === 'choose') || !steps.some((step) => step.kind === 'text' && step.text.trim() !== '');

function mayBeTooLarge({ steps }: Template): boolean {
  const size = steps.reduce((sum, step) => sum + (step.kind === 'text' ? Buffer.byteLength(step.text) : step.kind === 'value' ? 1 : 0), 0);
  // A character takes at most six bytes more as an HTML entity.
  return size + steps.filter((step) => step.kind === 'value').length * LARGEST_VALUE * 6 > RENDER_LIMIT;
}

/** What is wrong with a text whoever gets it. */
function faultsOfText(one: Checked): Fault[] {
  const { step, parts } = one;
  const faults: Fault[] = [];
  if (step.step_order === 0 && isBlank(parts.subject)) faults.push(faultAt(one, 'empty_subject'));
  if (isBlank(parts.html) && isBlank(parts.text)) faults.push(faultAt(one, 'empty_body'));
  const [problem] = Object.values(parts).flatMap((template) => template.problems);
  if (problem !== undefined) faults.push({ ...faultAt(one, 'template_problem'), message: `${faultAt(one, 'template_problem').message} ${problem}.` });
  return faults;
}

function missingOf(asking: Template, { sources, id }: Reader): string[] {
  try {
    return render(asking, { sources, seed: id, escapeHtml: false }).unresolved;
  } catch (error) {
    if (error instanceof TemplateTooLarge) return [];
    throw error;
  }
}

/** What is wrong with a text for this contact. Most texts need not be filled to know that nothing is. */
function faultsFor({ parts, careful }: Checked, reader: Reader): Fault['code'][] {
  const faults: Fault['code'][] = [];
  if (careful.subject && filled(parts.subject, reader, false) === '') faults.push('empty_subject');
  if (!careful.body) return faults;
  const bodies = [filled(parts.html, reader, true), filled(parts.text, reader, false)];
  if (bodies.includes(null)) faults.push('too_large');
  else if (!isBlankBody(parts) && bodies.every((body) => body === '')) faults.push('empty_body');
  return faults;
}

/** The text without the space around it; null when it is too large. */
function filled(template: Template, { id, sources }: Reader, escapeHtml: boolean): string | null {
  try {
    return render(template, { sources, seed: id, escapeHtml }).text.trim();
  } catch (error) {
    if (error instanceof TemplateTooLarge) return null;
    throw error;
  }
}

const isBlankBody = (parts: Checked['parts']) => isBlank(parts.html) && isBlank(parts.text);
