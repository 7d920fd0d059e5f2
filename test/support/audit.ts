import assert from 'node:assert/strict'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { query, type Scoped } from '#storage/statement.ts'

/**
 * Counts anew, from the rows themselves, whatever a workspace keeps ready: counts, lists of links,
 * numbers and sequences. It stands at the end of every scenario, so no operation can forget one.
 */
export async function audit(storage: Storage, workspace_id: string): Promise<void> {
  const all = await storage.read({ ...NOBODY, workspace_id }, async (tx) => ({
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
    events: await tx.all(events, {}),
    webhooks: await tx.all(webhooks, {}),
    workspace: await tx.one(workspace, {}),
  }))
  const live = new Map(all.tasks.filter((one) => one.deleted_at === null).map((t) => [t.id, t]))

  for (const project of all.projects) {
    const own = [...live.values()].filter(({ project_id }) => project_id === project.id)
    for (const category of CATEGORIES) {
      const count = own.filter(({ status_category }) => status_category === category).length
      assert.equal(project[`${category}_count`], count, `${category}_count of ${project.prefix}`)
    }
    const taken = [...all.tasks, ...all.numbers]
      .filter(({ project_id }) => project_id === project.id)
      .map(({ number }) => number)
      .toSorted((a, b) => a - b)
    const gapless = Array.from({ length: project.last_number }, (_, at) => at + 1)
    assert.deepEqual(taken, gapless, `numbers of ${project.prefix}`)
  }
  for (const tag of all.tags) {
    const count = all.tagged.filter((one) => one.tag_id === tag.id && live.has(one.task_id)).length
    assert.equal(tag.task_count, count, `task_count of ${tag.name}`)
  }
  for (const task of all.tasks) {
    const below = [...live.values()].filter(({ parent_id }) => parent_id === task.id)
    const completed = below.filter(({ status_category }) => status_category === 'completed')
    const isOwn = ({ task_id }: { task_id: string }) => task_id === task.id
    const blockers = all.blocks.filter(isOwn).map(({ blocker_id }) => blocker_id)
    const blocked = all.blocks.filter((one) => one.blocker_id === task.id).map((one) => one.task_id)
    const spent = all.entries.filter(isOwn).map((entry) => entry.duration_seconds ?? 0)
    const { title, assignee_ids, tag_ids, blocked_by_ids, blocking_ids } = task
    const kept = {
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
      comment_count: all.comments.filter(isOwn).length,
      attachment_count: all.attachments.filter(isOwn).length,
      time_spent_seconds: spent.reduce((sum, seconds) => sum + seconds, 0),
      lists: [
        all.assigned.filter(isOwn).map(({ user_id }) => user_id),
        all.tagged.filter(isOwn).map(({ tag_id }) => tag_id),
        blockers.filter((id) => live.has(id)),
        blocked.filter((id) => live.has(id)),
      ].map((ids) => ids.toSorted()),
    }
    assert.deepEqual(kept, counted, `what is kept of ${title} (${task.id})`)
    assert.match(task.position, /^[0-9A-Za-z]{1,250}$/)
    const parent = live.get(task.parent_id ?? '')
    if (parent && live.has(task.id)) assert.equal(parent.project_id, task.project_id)
  }
  for (const { id, pending_count, pending } of all.webhooks) {
    assert.equal(pending_count, pending, `pending_count of ${id}`)
  }
  const sequence = all.events.map((event) => event.sequence)
  assert.deepEqual(
    sequence,
    sequence.map((_, at) => at + 1),
    'sequence of events',
  )
  assert.equal(all.workspace?.last_sequence, sequence.length)
  const bytes = all.attachments.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  assert.equal(all.workspace?.attachment_bytes, bytes, 'attachment_bytes')
}

const CATEGORIES = ['backlog', 'unstarted', 'started', 'completed', 'canceled'] as const

const projects = query((db, $: Scoped) =>
  db.selectFrom('projects').selectAll().where('workspace_id', '=', $.workspace_id),
)
const tasks = query((db, $: Scoped) =>
  db.selectFrom('tasks').selectAll().where('workspace_id', '=', $.workspace_id),
)
const tags = query((db, $: Scoped) =>
  db.selectFrom('tags').selectAll().where('workspace_id', '=', $.workspace_id),
)
const numbers = query((db, $: Scoped) =>
  db.selectFrom('task_numbers').selectAll().where('workspace_id', '=', $.workspace_id),
)
const assigned = query((db, $: Scoped) =>
  db.selectFrom('task_assignees').selectAll().where('workspace_id', '=', $.workspace_id),
)
const tagged = query((db, $: Scoped) =>
  db.selectFrom('task_tags').selectAll().where('workspace_id', '=', $.workspace_id),
)
const blocks = query((db, $: Scoped) =>
  db.selectFrom('task_blocks').selectAll().where('workspace_id', '=', $.workspace_id),
)
const comments = query((db, $: Scoped) =>
  db.selectFrom('comments').selectAll().where('workspace_id', '=', $.workspace_id),
)
const entries = query((db, $: Scoped) =>
  db.selectFrom('time_entries').selectAll().where('workspace_id', '=', $.workspace_id),
)
const attachments = query((db, $: Scoped) =>
  db.selectFrom('attachments').selectAll().where('workspace_id', '=', $.workspace_id),
)
const events = query((db, $: Scoped) =>
  db
    .selectFrom('events')
    .select('sequence')
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('sequence'),
)
const webhooks = query((db, $: Scoped) =>
  db
    .selectFrom('webhooks')
    .select((is) => [
      'id',
      'pending_count',
      is
        .selectFrom('deliveries')
        .select((waiting) => waiting.fn.countAll<number>().as('count'))
        .where('deliveries.workspace_id', '=', $.workspace_id)
        .whereRef('deliveries.webhook_id', '=', 'webhooks.id')
        .where('deliveries.status', '=', 'pending')
        .as('pending'),
    ])
    .where('workspace_id', '=', $.workspace_id),
)
const workspace = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select(['last_sequence', 'attachment_bytes'])
    .where('id', '=', $.workspace_id),
)
