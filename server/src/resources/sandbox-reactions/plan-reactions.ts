import { rowsOf } from '#store/db.ts';
import { type SandboxConfig, withSandboxDefaults } from '#resources/inboxes/index.ts';
import type { World } from '#world/ctx.ts';
import { reactionsOf } from './rules.ts';
import { type Fresh, insertAll } from './store.ts';

type Sent = { workspace_id: string; id: string; mode: string; to_email: string; sent_at: Date | null; inbox_id: string; campaign_id: string | null };
type Place = { workspace_id: string; id: string; place: string };
type Sandbox = { workspace_id: string; id: string; config: Partial<SandboxConfig> };

const SANDBOXES = `
  select i.workspace_id, i.id, i.sandbox_config as config
    from unnest($1::text[], $2::text[]) as mine (workspace_id, id)
    join inboxes i on i.workspace_id = mine.workspace_id and i.id = mine.id and i.provider = 'sandbox'`;

// The place of a mail among those to its recipient: the step of a campaign, or how many single mails the inbox has written to the address before.
const PLACES = `
  select s.workspace_id, s.id,
         case when s.campaign_id is not null then 'step ' || coalesce(st.step_order::text, s.subject)
              else 'mail ' || (select count(*) from sends o
                                where o.workspace_id = s.workspace_id and o.to_email_key = s.to_email_key and o.inbox_id = s.inbox_id
                                  and o.campaign_id is null and (o.created_at, o.id) < (s.created_at, s.id)) end as place
    from unnest($1::text[], $2::text[]) as mine (workspace_id, id)
    join sends s on s.workspace_id = mine.workspace_id and s.id = mine.id
    left join campaign_steps st on st.workspace_id = s.workspace_id and st.id = s.campaign_step_id`;

/**
 * Draw what the recipients of these sends, which have left, will do, and write it down as due. Sends of other than sandbox inboxes, and all of live
 * mode, are passed over. An inbox with a `seed` draws the same for the same address and place in whatever workspace and run; one without by its own
 * id, and for a single mail by the mail's: nothing has to be looked up for that.
 */
export async function planReactions(world: World, sent: readonly Sent[]): Promise<void> {
  const test = sent.filter((one) => one.mode === 'test');
  if (test.length === 0) return;
  const inboxes = new Map(test.map((one) => [nameOf(one.workspace_id, one.inbox_id), { workspace_id: one.workspace_id, id: one.inbox_id }]));
  const configs = new Map<string, SandboxConfig>();
  for (const { workspace_id, id, config } of await rowsOf<Sandbox>(world.db, SANDBOXES, keysOf([...inboxes.values()]))) {
    configs.set(nameOf(workspace_id, id), withSandboxDefaults(config));
  }
  const mine = test.flatMap((one) => {
    const config = configs.get(nameOf(one.workspace_id, one.inbox_id));
    return config ? [{ ...one, config }] : [];
  });
  const placed = mine.filter((one) => one.campaign_id !== null || one.config.seed !== null);
  const found = placed.length ? await rowsOf<Place>(world.db, PLACES, keysOf(placed)) : [];
  const places = new Map(found.map((one) => [nameOf(one.workspace_id, one.id), one.place]));
  const rows = mine.flatMap(({ workspace_id, id, to_email, sent_at: sentAt, config, inbox_id }): Fresh[] => {
    const parts = [config.seed ?? inbox_id, to_email.toLowerCase(), places.get(nameOf(workspace_id, id)) ?? id];
    return reactionsOf(to_email, config, world.config.SANDBOX_DOMAIN, parts).map(({ kind, afterSeconds }) => ({
      workspace_id,
      send_id: id,
      kind,
      due_at: new Date(sentAt!.getTime() + afterSeconds * 1_000),
    }));
  });
  await insertAll(world, rows);
}

const nameOf = (workspaceId: string, id: string) => `${workspaceId} ${id}`;
const keysOf = (those: readonly { workspace_id: string; id: string }[]) => [those.map((one) => one.workspace_id), those.map((one) => one.id)];
