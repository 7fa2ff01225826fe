/** A step as it is written, in a sequence or in a campaign's own copy. */
export type StepBody = {
  /** From 0; on create the step is inserted there (left out: appended), on update it moves there. */
  step_order?: number;
  /** The wait after the previous step; `delay_minutes` wins over `delay_days`. */
  delay_days?: number;
  delay_minutes?: number;
  subject?: string;
  body_html?: string;
  body_text?: string;
  /** Replaces all variants: keep an id to edit that one, leave it out to delete it; null or an empty array ends the test. */
  variants?: VariantBody[] | null;
  winning_variant_id?: string | null;
  /** Let the best variant win by itself once each was sent `min_sends` times (100 unless told). */
  auto_winner?: { metric: 'reply' | 'click' | 'open'; min_sends?: number } | null;
};
export type VariantBody = { id?: string; subject?: string; body_html?: string; body_text?: string; disabled?: boolean };
/** A step that was just deleted. */
export type Deleted<Step> = Step & { deleted: true };
