/** Pending deliveries of a workspace: the same events for each of some webhooks. */
export interface Backlog {
  workspace: string
  webhooks: readonly string[]
  /** The number of events, and so of deliveries to each webhook. */
  events: number
  /** When they were created (RFC 3339). */
  since: string
}

/**
 * Returns SQL for both engines that creates a backlog: events with the payload of an existing one,
 * two for each subject, and their deliveries without any attempt.
 */
export function createBacklogSql({ workspace, webhooks, events, since }: Backlog): string[] {
  const inWorkspace = `workspace_id = '${workspace}'`
  const lastSequence = `(select last_sequence from workspaces where id = '${workspace}')`
  const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${events})`
  const id = (prefix: string, webhook = 0) =>
    `'${prefix}_0000000000${100_000 + webhook}' || cast(1000000000 + i as text)`
  const subject = `'tsk_' || cast((i + 1) / 2 as text)`
  return [
    ...webhooks.map(
      (webhook, at) => `insert into deliveries (workspace_id, id, webhook_id, event_id, event_type,
        sequence, queue, lane, blocked, activation, status, attempt_count, due_at, is_test, created_at)
      ${numbers} select '${workspace}', ${id('dlv', at)}, '${webhook}', ${id('evt')}, 'task.created',
        ${lastSequence} + i, 1, cast(webhooks.activation as text) || '.' || ${subject}, 1 - i % 2,
        webhooks.activation, 'pending', 0, '${since}', 0, '${since}'
      from n, webhooks where ${inWorkspace} and webhooks.id = '${webhook}'`,
    ),
    `insert into events (workspace_id, sequence, id, type, project_id, subject_id, payload, created_at)
      ${numbers} select '${workspace}', ${lastSequence} + i, ${id('evt')}, 'task.created', one.project_id,
        ${subject}, one.payload, '${since}'
      from n, (select * from events where ${inWorkspace} order by sequence desc limit 1) as one`,
    `update webhooks set pending_count = pending_count + ${events}, next_due_at = '${since}'
      where ${inWorkspace} and id in ('${webhooks.join("', '")}')`,
    `update workspaces set last_sequence = last_sequence + ${events},
        fanned_out_sequence = last_sequence + ${events} where id = '${workspace}'`,
  ]
}
