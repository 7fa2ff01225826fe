// Which text of a step a lead gets. Pure.
import { drawFor } from '#platform/random.ts';
import { type StepText, openTexts } from '#resources/sequences/index.ts';

/** A step's text for one lead: the winner, or one of its own text and the variants not disabled, drawn by campaign, contact and step. */
export function textOf(
  step: Parameters<typeof openTexts>[0] & { id: string },
  seed: { campaignId: string; contactId: string },
): { text: StepText; variantId: string | null } {
  const texts = openTexts(step);
  return texts[Math.floor(drawFor('variant', seed.campaignId, seed.contactId, step.id) * texts.length)]!;
}
