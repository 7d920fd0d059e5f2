import assert from 'node:assert/strict'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { query } from '#db/core/statement.ts'

/**
 * Recomputes every denormalized value of a workspace from its rows and compares: counters, lists of
 * ids, task numbers and event sequences. Runs after each scenario, so an operation that forgets to
 * update one of them fails.
 */
export async function assertCountersMatchRows(
  storage: Storage,
  workspace_id: string,
): Promise<void> {
  const rows = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => ({
    projects: await tx.all(projects, {}),
    tasks: await tx.all(tasks, {}),
    tags: await tx.all(tags, {}),
    numbers: await tx.all(numbers, {}),
    assigned: await tx.all(assigned, {}),
    tagged: await tx.all(tagged, {}),
    blocks: await tx.all(blocks, {}),
    comments: await tx.all(comments, {}),
    entries: await tx.all(entries, {}),
    attachments: await tx.all(attachments, {}),
    trash: await tx.all(trash, {}),
    events: await tx.all(events, {}),
    webhooks: await tx.all(webhooks, {}),
    workspace: await tx.one(workspace, {}),
  }))
  const live = new Map(rows.tasks.filter((one) => one.deleted_at === null).map((t) => [t.id, t]))

  for (const project of rows.projects) {
    const own = [...live.values()].filter(({ project_id }) => project_id === project.id)
    for (const category of CATEGORIES) {
      const count = own.filter(({ status_category }) => status_category === category).length
      assert.equal(project[`${category}_count`], count, `${category}_count of ${project.prefix}`)
    }
    const taken = [...rows.tasks, ...rows.numbers]
      .filter(({ project_id }) => project_id === project.id)
      .map(({ number }) => number)
      .toSorted((a, b) => a - b)
    const gapless = Array.from({ length: project.last_number }, (_, at) => at + 1)
    assert.deepEqual(taken, gapless, `numbers of ${project.prefix}`)
  }
  for (const tag of rows.tags) {
    const count = rows.tagged.filter((one) => one.tag_id === tag.id && live.has(one.task_id)).length
    assert.equal(tag.task_count, count, `task_count of ${tag.name}`)
  }
  for (const task of rows.tasks) {
    const below = [...live.values()].filter(({ parent_id }) => parent_id === task.id)
    const completed = below.filter(({ status_category }) => status_category === 'completed')
    const isOwn = ({ task_id }: { task_id: string }) => task_id === task.id
    const blockers = rows.blocks.filter(isOwn).map(({ blocker_id }) => blocker_id)
    const blocked = rows.blocks
      .filter((one) => one.blocker_id === task.id)
      .map((one) => one.task_id)
    const spent = rows.entries.filter(isOwn).map((entry) => entry.duration_seconds ?? 0)
    const { title, assignee_ids, tag_ids, blocked_by_ids, blocking_ids } = task
    const stored = {
      subtask_count: task.subtask_count,
      completed_subtask_count: task.completed_subtask_count,
      comment_count: task.comment_count,
      attachment_count: task.attachment_count,
      time_spent_seconds: task.time_spent_seconds,
      lists: [assignee_ids, tag_ids, blocked_by_ids, blocking_ids].map((text) => JSON.parse(text)),
    }
    const counted = {
      subtask_count: below.length,
      completed_subtask_count: completed.length,
      comment_count: rows.comments.filter(isOwn).length,
      attachment_count: rows.attachments.filter(isOwn).length,
      time_spent_seconds: spent.reduce((sum, seconds) => sum + seconds, 0),
      lists: [
        rows.assigned.filter(isOwn).map(({ user_id }) => user_id),
        rows.tagged.filter(isOwn).map(({ tag_id }) => tag_id),
        blockers.filter((id) => live.has(id)),
        blocked.filter((id) => live.has(id)),
      ].map((ids) => ids.toSorted()),
    }
    assert.deepEqual(stored, counted, `what is kept of ${title} (${task.id})`)
    assert.match(task.position, /^[0-9A-Za-z]{1,250}$/)
    const parent = live.get(task.parent_id ?? '')
    if (parent && live.has(task.id)) assert.equal(parent.project_id, task.project_id)
  }
  for (const { id, pending_count, pending } of rows.webhooks) {
    assert.equal(pending_count, pending, `pending_count of ${id}`)
  }
  const sequence = rows.events.map((event) => event.sequence)
  assert.deepEqual(
    sequence,
    sequence.map((_, at) => at + 1),
    'sequence of events',
  )
  assert.equal(rows.workspace?.last_sequence, sequence.length)
  const files = [...rows.attachments, ...rows.trash]
  const bytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  assert.equal(rows.workspace?.attachment_bytes, bytes, 'attachment_bytes')
}

const CATEGORIES = ['backlog', 'unstarted', 'started', 'completed', 'canceled'] as const

const projects = query((db) => db.selectFrom('projects').selectAll())
const tasks = query((db) => db.selectFrom('tasks').selectAll())
const tags = query((db) => db.selectFrom('tags').selectAll())
const numbers = query((db) => db.selectFrom('task_numbers').selectAll())
const assigned = query((db) => db.selectFrom('task_assignees').selectAll())
const tagged = query((db) => db.selectFrom('task_tags').selectAll())
const blocks = query((db) => db.selectFrom('task_blocks').selectAll())
const comments = query((db) => db.selectFrom('comments').selectAll())
const entries = query((db) => db.selectFrom('time_entries').selectAll())
const attachments = query((db) => db.selectFrom('attachments').selectAll())
const trash = query((db) => db.selectFrom('trash').select('size_bytes'))
const events = query((db) => db.selectFrom('events').select('sequence').orderBy('sequence'))
const webhooks = query((db) =>
  db.selectFrom('webhooks').select((is) => [
    'id',
    'pending_count',
    is
      .selectFrom('deliveries')
      .select((waiting) => waiting.fn.countAll<number>().as('count'))
      .whereRef('deliveries.webhook_id', '=', 'webhooks.id')
      .where('deliveries.status', '=', 'pending')
      .as('pending'),
  ]),
)
const workspace = query((db) =>
  db.selectFrom('workspaces').select(['last_sequence', 'attachment_bytes']),
)
