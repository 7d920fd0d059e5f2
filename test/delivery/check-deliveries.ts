/** Runs SQL on a database of either engine. */
export type RunSql = (sql: string) => object[] | Promise<object[]>

/**
 * Invariants of the delivery tables that hold at any time: each with a query for the rows that
 * break it. Deleted webhooks are left out.
 */
const INVARIANTS: Record<string, string> = {
  'two deliveries of one event': `select webhook_id, event_id from deliveries where queue = 1
    group by webhook_id, event_id having count(*) > 1`,
  'attempts are not 1 to n': `select d.id from deliveries d left join (
      select workspace_id, delivery_id, count(*) as n, min(number) as least, max(number) as most
      from delivery_attempts group by workspace_id, delivery_id
    ) a on a.workspace_id = d.workspace_id and a.delivery_id = d.id
    where d.attempt_count <> coalesce(a.n, 0) or a.least <> 1 or a.most <> a.n`,
  'pending_count differs': `select id, pending_count from webhooks w where pending_count <> (
      select count(*) from deliveries d where d.workspace_id = w.workspace_id
        and d.webhook_id = w.id and d.status = 'pending')`,
  'next_due_at is late or missing': `select * from (
      select w.id, w.next_due_at, (select min(due_at) from deliveries d
        where d.workspace_id = w.workspace_id and d.webhook_id = w.id and d.status = 'pending'
          and d.blocked = 0 and d.activation = w.activation) as due
      from webhooks w where is_active = 1) as seen
    where due is not null and (next_due_at is null or next_due_at > due)`,
  'blocked by nothing': `select d.id from deliveries d where d.status = 'pending' and d.blocked = 1
    and not exists (select 1 from deliveries e where e.workspace_id = d.workspace_id
      and e.webhook_id = d.webhook_id and e.lane = d.lane and e.status = 'pending'
      and e.sequence < d.sequence and (e.attempt_count < 4 or e.blocked = 1))`,
  'ready before its turn': `select d.id from deliveries d where d.status = 'pending'
    and d.blocked = 0 and d.lane is not null and exists (
      select 1 from deliveries e where e.workspace_id = d.workspace_id
        and e.webhook_id = d.webhook_id and e.lane = d.lane and e.status = 'pending'
        and e.sequence < d.sequence and e.attempt_count < 4)`,
}

/** Rows that must not remain once everything is delivered. */
const REMAINDERS: Record<string, string> = {
  'still pending': `select d.id from deliveries d where d.status = 'pending'
    and exists (select 1 from webhooks w where w.id = d.webhook_id)`,
  'not fanned out': 'select id from workspaces where has_unsent_events = 1',
  'something due': `select id from webhooks where next_due_at is not null`,
  'no delivery of an event': `select e.id from events e
    join webhooks w on w.workspace_id = e.workspace_id and w.is_active = 1
      and e.sequence > w.enabled_after_sequence
      and (w.events like '%"*"%' or w.events like '%"' || e.type || '"%')
      and (w.project_ids is null or w.project_ids like '%' || e.project_id || '%')
    where not exists (select 1 from deliveries d where d.workspace_id = e.workspace_id
      and d.event_id = e.id and d.webhook_id = w.id and d.queue = 1)`,
}

/** Checks the deliveries of a database while sending goes on. */
export const findDeliveryFaults = (runSql: RunSql): Promise<string[]> =>
  runChecks(runSql, INVARIANTS)

/** Checks the deliveries of a database after everything has been sent. */
export const findFinalDeliveryFaults = (runSql: RunSql): Promise<string[]> =>
  runChecks(runSql, { ...INVARIANTS, ...REMAINDERS })

async function runChecks(runSql: RunSql, checks: Record<string, string>): Promise<string[]> {
  const wrong: string[] = []
  for (const [complaint, sql] of Object.entries(checks)) {
    const rows = await runSql(sql)
    if (rows.length > 0) wrong.push(`${complaint}: ${rows.length} ${JSON.stringify(rows[0])}`)
  }
  return wrong
}
