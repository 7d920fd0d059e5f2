import type { WriteTx } from '#core/tx.ts'
import { fold } from '#lib/fold.ts'
import { newWebhookSecret } from '#lib/token.ts'
import { wordsOf } from '#lib/words.ts'
import { PRIORITIES } from '#resources/tasks/fields.ts'
import { refreshBlocks } from '#resources/tasks/links.ts'
import { writeWords } from '#resources/tasks/store.ts'
import { writeCommentWords } from '#storage/comment-words.ts'
import { indexed, searchable } from '#storage/words.ts'
import type { Census } from './census.ts'
import type { Lines, Part } from './lines.ts'
import { put } from './put.ts'
import type { Renaming } from './renaming.ts'

/** What the rows of a workspace are made with. */
export interface Loading {
  census: Census
  renaming: Renaming
}

/** Lines that were verified become rows; names and ids in them are as they were. */
type Load<P extends Part> = (tx: WriteTx, lines: Lines[P][], loading: Loading) => Promise<void>

/** The parts whose rows lean on the tables before them; people and the workspace are there by then. */
export const LOADS: { [P in Exclude<Part, 'workspace' | 'members'>]: Load<P> } = {
  async projects(tx, lines, { census, renaming }) {
    const named = lines.map((line) => ({ line, now: renaming.in(line) }))
    await put(
      tx,
      'projects',
      named.map(({ line: { id }, now: { former_prefixes: _, people_ids: __, ...project } }) => ({
        ...project,
        ...sortable(project.name),
        statuses: JSON.stringify(project.statuses),
        backlog_count: census.liveIn(id, 'backlog'),
        unstarted_count: census.liveIn(id, 'unstarted'),
        started_count: census.liveIn(id, 'started'),
        completed_count: census.liveIn(id, 'completed'),
        canceled_count: census.liveIn(id, 'canceled'),
      })),
    )
    const prefixes = named.flatMap(({ now: { id, prefix, former_prefixes } }) =>
      [prefix, ...former_prefixes].map((one) => ({ prefix: one, project_id: id })),
    )
    await put(tx, 'project_prefixes', prefixes)
    const people = named.flatMap(({ now: { id, people_ids } }) =>
      people_ids.map((user_id) => ({ project_id: id, user_id })),
    )
    await put(tx, 'project_people', people)
  },

  tags: (tx, lines, { census, renaming }) =>
    put(
      tx,
      'tags',
      lines.map((line) => {
        const now = renaming.in(line)
        return { ...now, ...sortable(now.name), task_count: census.liveWith(line.id) }
      }),
    ),

  async views(tx, lines, { renaming }) {
    const named = renaming.in(lines)
    await put(
      tx,
      'views',
      named.map(({ pinned_by: _, lanes = 'none', ...view }) => ({ ...view, lanes })),
    )
    const pins = named.flatMap(({ id, pinned_by }) =>
      pinned_by.map((pin) => ({ ...pin, view_id: id })),
    )
    await put(tx, 'view_pins', pins)
  },

  templates: (tx, lines, { renaming }) =>
    put(
      tx,
      'templates',
      renaming.in(lines).map((line) => ({
        ...line,
        tasks: JSON.stringify(line.tasks),
        task_count: line.tasks.length,
      })),
    ),

  async tasks(tx, lines, { census, renaming }) {
    const named = lines.map((line) => ({ line, now: renaming.in(line) }))
    await put(
      tx,
      'tasks',
      named.map(({ line, now }) => taskRow(now, census.countsOfTask(line.id))),
    )
    const words = named.map(({ now: { id, title, description } }) => ({
      id,
      words: indexed(tx.actor.workspace_id, searchable(title, description)),
    }))
    await tx.each(writeWords, words)
    const all = named.map(({ now }) => now)
    const numbers = all.flatMap(({ id, former_numbers }) =>
      former_numbers.map((one) => ({ ...one, task_id: id })),
    )
    await put(tx, 'task_numbers', numbers)
    const assigned = all.flatMap(({ id, assignee_ids }) =>
      assignee_ids.map((user_id) => ({ user_id, task_id: id })),
    )
    await put(tx, 'task_assignees', assigned)
    const tagged = all.flatMap(({ id, tag_ids }) =>
      tag_ids.map((tag_id) => ({ tag_id, task_id: id })),
    )
    await put(tx, 'task_tags', tagged)
  },

  async comments(tx, lines, { renaming }) {
    const named = renaming.in(lines)
    const rows = named.map((line) => ({ ...line, mentions: JSON.stringify(line.mentions) }))
    await put(tx, 'comments', rows)
    const words = named.map(({ id, body }) => ({
      id,
      words: indexed(tx.actor.workspace_id, body),
    }))
    await tx.each(writeCommentWords, words)
  },

  time_entries: (tx, lines, { renaming }) =>
    put(
      tx,
      'time_entries',
      renaming.in(lines).map((line) => ({ ...line, billable: line.billable ? 1 : 0 })),
    ),

  activity: (tx, lines, { renaming }) =>
    put(
      tx,
      'activity',
      renaming.in(lines).map((line) => ({ ...line, changes: JSON.stringify(line.changes) })),
    ),

  events: (tx, lines, { renaming }) =>
    put(
      tx,
      'events',
      renaming.in(lines).map(({ event, ...about }) => ({
        ...about,
        sequence: event.sequence,
        id: event.id,
        type: event.type,
        project_id: event.project_id,
        payload: JSON.stringify(event),
        created_at: event.timestamp,
      })),
    ),

  /** Without their secrets nobody could check what they send: they get others, and wait. */
  webhooks: (tx, lines, { renaming }) =>
    put(
      tx,
      'webhooks',
      renaming.in(lines).map((line) => {
        const secret = newWebhookSecret()
        return {
          ...line,
          events: JSON.stringify(line.events),
          project_ids: line.project_ids && JSON.stringify(line.project_ids),
          is_active: 0,
          disabled_reason: 'manual',
          failure_count: 0,
          sealed_secret: tx.seal(secret),
          secret_hint: secret.slice(-4),
          enabled_after_sequence: 0,
        }
      }),
    ),

  /** Nobody knows a secret of theirs before it is rotated. */
  applications: (tx, lines, { renaming }) =>
    put(
      tx,
      'applications',
      renaming.in(lines).map((line) => ({
        ...line,
        redirect_uris: JSON.stringify(line.redirect_uris),
        scopes: JSON.stringify(line.scopes),
      })),
    ),

  attachments: (tx, lines, { renaming }) =>
    put(
      tx,
      'attachments',
      renaming.in(lines).map(({ file: _, ...line }) => line),
    ),
}

/** Links between tasks, when all tasks are there; and what these show of them. */
export async function linkTasks(
  tx: WriteTx,
  lines: readonly Lines['tasks'][],
  { renaming }: Loading,
): Promise<void> {
  const links = lines.flatMap(({ id, blocked_by_ids }) =>
    blocked_by_ids.map((one) => ({ task_id: renaming.id(id), blocker_id: renaming.id(one) })),
  )
  await put(tx, 'task_blocks', links)
  const ids = new Set(links.flatMap(({ task_id, blocker_id }) => [task_id, blocker_id]))
  await tx.each(
    refreshBlocks,
    [...ids].map((id) => ({ id })),
  )
}

const sortable = (name: string) => ({
  name_key: fold(name),
  name_words: ` ${wordsOf(name).join(' ')}`,
})

function taskRow(
  { former_numbers: _, ...task }: Lines['tasks'],
  counts: ReturnType<Census['countsOfTask']>,
) {
  return {
    ...task,
    priority_rank: PRIORITIES.indexOf(task.priority),
    assignee_ids: JSON.stringify(task.assignee_ids),
    tag_ids: JSON.stringify(task.tag_ids),
    recurrence: task.recurrence && JSON.stringify(task.recurrence),
    custom_fields: JSON.stringify(task.custom_fields),
    metadata: JSON.stringify(task.metadata),
    blocked_by_ids: '[]',
    blocking_ids: '[]',
    time_spent_seconds: counts.seconds,
    comment_count: counts.comments,
    attachment_count: counts.attachments,
    subtask_count: counts.subtasks,
    completed_subtask_count: counts.completed,
  }
}
