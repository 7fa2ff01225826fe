import { Refusal } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';

/** Throws `confirmation_required` unless the caller passed confirm=true or holds a key that confirms by itself. */
export function requireConfirmation(ctx: Pick<Ctx, 'confirmed'>): void {
  if (!ctx.confirmed) throw new Refusal('confirmation_required', 'This cannot be undone. Repeat the call with confirm=true.', { param: 'confirm' });
}
