import { rowsOf } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';
import type { Step } from './rules.ts';

export type StepTable = {
  /** The steps of one owner in their order. */
  of(ctx: Ctx, ownerId: string): Promise<Step[]>;
  /** Write what makes `before` into `after`. The caller holds the owner's row locked. */
  save(ctx: Ctx, ownerId: string, before: readonly Step[], after: readonly Step[]): Promise<void>;
};

const COLUMNS = 'id, step_order, delay_minutes, subject, body_html, body_text, variants, winning_variant_id, auto_winner';

/** The table that keeps the steps of sequences, or of campaigns: they look alike but for whose they are. */
export function stepTable(table: 'sequence_steps' | 'campaign_steps', owner: 'sequence_id' | 'campaign_id'): StepTable {
  const mine = `workspace_id = $1 and ${owner} = $2`;
  // One statement for all: the uniqueness of positions is looked at when it ends, so steps may pass through each other's places.
  const write = `
    insert into ${table} (workspace_id, ${owner}, ${COLUMNS})
    select $1, $2, ${COLUMNS}
      from unnest($3::text[], $4::int[], $5::int[], $6::text[], $7::text[], $8::text[], $9::jsonb[], $10::text[], $11::jsonb[]) as t (${COLUMNS})
    on conflict (workspace_id, id) do update set ${COLUMNS.split(', ')
      .slice(1)
      .map((name) => `${name} = excluded.${name}`)
      .join(', ')}`;
  return {
    of: (ctx, ownerId) => rowsOf<Step>(ctx.db, `select ${COLUMNS} from ${table} where ${mine} order by step_order`, [ctx.workspaceId, ownerId]),
    async save(ctx, ownerId, before, after) {
      const kept = new Set(after.map((step) => step.id));
      const gone = before.filter((step) => !kept.has(step.id)).map((step) => step.id);
      if (gone.length) await rowsOf(ctx.db, `delete from ${table} where ${mine} and id = any($3)`, [ctx.workspaceId, ownerId, gone]);
      const known = new Set(before);
      const changed = after.filter((step) => !known.has(step));
      if (!changed.length) return;
      const column = <K extends keyof Step>(name: K) => changed.map((step) => step[name]);
      await rowsOf(ctx.db, write, [
        ctx.workspaceId,
        ownerId,
        column('id'),
        column('step_order'),
        column('delay_minutes'),
        column('subject'),
        column('body_html'),
        column('body_text'),
        changed.map((step) => (step.variants ? JSON.stringify(step.variants) : null)),
        column('winning_variant_id'),
        changed.map((step) => (step.auto_winner ? JSON.stringify(step.auto_winner) : null)),
      ]);
    },
  };
}
