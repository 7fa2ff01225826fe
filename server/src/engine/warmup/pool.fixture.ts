// A house whose inboxes warm each other up, and ways to let days pass in it.
import { rowsOf } from '#store/db.ts';
import { type WarmupMail, dayName, plan } from '#resources/warmup/index.ts';
import { type Stage, type StageOptions, stage } from '#testing/stage.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const [ANN, BOB, CAT] = ['ann@sender.test', 'bob@sender.test', 'cat@sender.test'] as const;

export type Pool = Awaited<ReturnType<typeof pool>>;

/** Three mailboxes as if they were connected by OAuth, all of them members of the pool, on a Monday morning at nine. */
export async function pool(options: Partial<StageOptions> = {}) {
  const s = await stage({ senders: [ANN, BOB, CAT], sorts: () => 'INBOX', ...options });
  await rowsOf(s.h.db, `update inboxes set provider = 'google'`, []);
  for (const { id } of s.inboxes) await s.api.inboxes.update(id, { warmup_enabled: true });
  const mails = (where = 'true') => rowsOf<WarmupMail>(s.h.db, `select * from warmup_mails where ${where} order by created_at, id`, []);
  const time = passing(s);
  return {
    ...s,
    mails,
    ...time,
    /** Mails of Ann that are due now, instead of what the day would have brought: one that opens an exchange with Bob, then whatever is wished. */
    async exchange(more: readonly { to: string; place: number }[] = []) {
      await planned(s, [{ to: BOB, place: 0 }, ...more]);
      return (await mails())[0]!;
    },
    /** What of it stands where messages, sends and their events stand. */
    async shown() {
      const count = async (text: string) => (await rowsOf<{ n: number }>(s.h.db, `select count(*)::int as n from ${text}`, []))[0]!.n;
      return {
        messages: await count('messages'),
        sends: await count('sends'),
        events: await count(`events where type not like 'inbox.%' and type not like 'api_key.%'`),
        troubles: await count('inbox_troubles'),
      };
    },
  };
}

export const NOTHING_SHOWN = { messages: 0, sends: 0, events: 0, troubles: 0 };

function passing({ h }: Stage) {
  /** What falls due at this moment for the pool. */
  const settle = async () => {
    await h.housekeeping.step();
    await h.inbound.step();
    await h.inbound.idle();
    for (let round = 0; round < 2; round++) {
      await h.warmup.step();
      await h.warmup.idle();
    }
  };
  /** Let time pass in steps. */
  const pass = async (ms: number, stepMs = 10 * MINUTE) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      h.tick(stepMs);
      await settle();
    }
  };
  /** Live through so many working days, each until seven in the evening and in steps; the nights pass in one. */
  const days = async (count: number, stepMs: number) => {
    for (let day = 1; day <= count; day++) {
      await settle();
      const evening = new Date(h.now());
      evening.setUTCHours(19, 0, 0, 0);
      await pass(evening.getTime() - h.now().getTime(), stepMs);
      if (day < count) await pass(13 * HOUR, 13 * HOUR);
    }
  };
  return { settle, pass, days };
}

async function planned({ h, inboxes }: Stage, wanted: readonly { to: string; place: number }[]): Promise<void> {
  await rowsOf(h.db, `update inboxes set next_warmup_at = null`, []);
  const idOf = (address: string) => inboxes.find((one) => one.email_address === address)!.id;
  const workspace = await h.workspace('one');
  const about = { workspace_id: workspace, inbox_id: idOf(ANN), to_workspace_id: workspace, senderAddress: ANN, scheduled_at: h.now() };
  await plan(
    h.world,
    wanted.map(({ to, place }) => ({
      ...about,
      to_inbox_id: idOf(to),
      day: dayName(h.now(), 'UTC'),
      ...(place > 0 && { answers: { thread_id: `wum_${to}`, place, references: ['<asked@sender.test>'] } }),
    })),
  );
}
