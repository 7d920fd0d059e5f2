import { type Insertable, sql } from 'kysely'
import type { WriteTx } from '#core/transaction.ts'
import {
  command,
  memoizeByShape,
  rawStatement,
  type Scoped,
  unscopedQuery,
} from '#db/core/statement.ts'
import type { Tables } from '#db/schema/tables.ts'
import { toIndexWords, toSearchableText, writeCommentWords } from '#db/tasks/search-words.ts'
import { foldCase } from '#lib/fold-case.ts'
import { remapId } from '#lib/id.ts'
import { toMediaType } from '#lib/media-type.ts'
import { extractSearchWords } from '#lib/search-words.ts'
import { newWebhookSecret } from '#lib/token.ts'
import { PRIORITIES } from '#resources/tasks/fields.ts'
import { rebuildDependencyLists } from '#resources/tasks/statements/links.ts'
import { writeTaskWords } from '#resources/tasks/store.ts'
import type { ArchiveLines, ArchivePart } from '../format/line-schemas.ts'
import type { ArchiveIndex, StringInterner } from '../verify/archive-index.ts'

const ID = /\b([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}\b/g

/**
 * Maps ids of an archive to new ones. People get their account ids; ids that no line has are kept.
 */
interface IdMapping {
  mapId(id: string): string
  /** Maps the ids in all strings of a value, at any depth. */
  mapValue<T>(value: T): T
}

/**
 * Derives new ids from `twinKey`, or maps only the people who have another id here if there is no
 * key. It keeps no table of old and new ids, so that a million ids take no memory.
 */
export function createIdMapping(
  archiveIds: StringInterner,
  people: ReadonlyMap<string, string>,
  twinKey: string | undefined,
): IdMapping {
  const mapId = (one: string): string => {
    if (one.startsWith('usr_')) return people.get(one) ?? one
    return twinKey !== undefined && archiveIds.numberOf(one) !== undefined
      ? remapId(one, twinKey)
      : one
  }
  const isIdentity = () => twinKey === undefined && people.size === 0
  const mapDeep = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(ID, mapId)
    if (Array.isArray(value)) return value.map(mapDeep)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapDeep(one)]))
  }
  return { mapId, mapValue: <T>(value: T) => (isIdentity() ? value : (mapDeep(value) as T)) }
}

type NewTableRow<T extends keyof Tables> = Omit<Insertable<Tables[T]>, 'workspace_id'>

/** Inserts rows into a table of the workspace. All must have the same columns. */
export async function insertRows<T extends keyof Tables>(
  tx: WriteTx,
  table: T,
  rows: readonly NewTableRow<T>[],
): Promise<void> {
  const [first] = rows
  if (!first) return
  const plain = rows.map((one): Record<string, unknown> => ({ ...one }))
  await tx.runEach(insertInto({ table, columns: Object.keys(first) }), plain)
}

const insertInto = memoizeByShape(
  ({ table, columns }: { table: keyof Tables; columns: string[] }) =>
    command((db, $: Scoped<Record<string, unknown>>) => {
      const all = ['workspace_id', ...columns]
      const [names, slots] = [all.map((name) => sql.ref(name)), all.map((name) => sql`${$[name]}`)]
      return rawStatement(
        db,
        sql`insert into ${sql.table(table)} (${sql.join(names)}) values (${sql.join(slots)})`,
      )
    }),
)

/** Inserts the workspace of the transaction, with the positions of its event log. */
export const insertWorkspace = command(
  (db, $: Scoped<Omit<Insertable<Tables['workspaces']>, 'id'>>) =>
    db.insertInto('workspaces').values({
      id: $.workspace_id,
      name: $.name,
      plan: $.plan,
      timezone: $.timezone,
      last_sequence: $.last_sequence,
      fanned_out_sequence: $.fanned_out_sequence,
      log_from_sequence: $.log_from_sequence,
      attachment_bytes: $.attachment_bytes,
      created_at: $.created_at,
      updated_at: $.updated_at,
    }),
)

/** The `removed_at` of members until the import is complete: nobody is an active member before. */
export const PENDING_REMOVED_AT = '9999-12-31T23:59:59.999Z'

export const activateMembers = command((db, $: Scoped) =>
  db
    .updateTable('memberships')
    .set({ removed_at: null })
    .where('workspace_id', '=', $.workspace_id)
    .where('removed_at', '=', PENDING_REMOVED_AT),
)

type IdList = { ids: readonly string[] }

/** A project with one of these ids, in any workspace of the installation. */
export const projectWithAnyId = unscopedQuery((db, $: IdList, { inList }) =>
  db.selectFrom('projects').select('id').where(inList('projects.id', $.ids)).limit(1),
)
/** The same for applications. */
export const applicationWithAnyId = unscopedQuery((db, $: IdList, { inList }) =>
  db.selectFrom('applications').select('id').where(inList('applications.id', $.ids)).limit(1),
)
export const userWithId = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('users').select('id').where('id', '=', $.id),
)

/** What the loaders need beside the lines. */
export interface LoadContext {
  index: ArchiveIndex
  ids: IdMapping
}

/** Inserts the rows of verified lines, which still have the ids of the archive. */
type LineLoader<P extends ArchivePart> = (
  tx: WriteTx,
  lines: ArchiveLines[P][],
  loading: LoadContext,
) => Promise<void>

/**
 * The loaders by part, in order of dependency. The workspace and its members are inserted before.
 */
export const LINE_LOADERS: { [P in Exclude<ArchivePart, 'workspace' | 'members'>]: LineLoader<P> } =
  {
    async projects(tx, lines, { index, ids }) {
      const mapped = lines.map((line) => ({ line, now: ids.mapValue(line) }))
      await insertRows(
        tx,
        'projects',
        mapped.map(({ line: { id }, now: { former_prefixes: _, people_ids: __, ...project } }) => ({
          ...project,
          ...nameColumns(project.name),
          statuses: JSON.stringify(project.statuses),
          backlog_count: index.liveTasksInProject(id, 'backlog'),
          unstarted_count: index.liveTasksInProject(id, 'unstarted'),
          started_count: index.liveTasksInProject(id, 'started'),
          completed_count: index.liveTasksInProject(id, 'completed'),
          canceled_count: index.liveTasksInProject(id, 'canceled'),
        })),
      )
      const prefixes = mapped.flatMap(({ now: { id, prefix, former_prefixes } }) =>
        [prefix, ...former_prefixes].map((one) => ({ prefix: one, project_id: id })),
      )
      await insertRows(tx, 'project_prefixes', prefixes)
      const people = mapped.flatMap(({ now: { id, people_ids } }) =>
        people_ids.map((user_id) => ({ project_id: id, user_id })),
      )
      await insertRows(tx, 'project_people', people)
    },

    tags: (tx, lines, { index, ids }) =>
      insertRows(
        tx,
        'tags',
        lines.map((line) => {
          const now = ids.mapValue(line)
          return { ...now, ...nameColumns(now.name), task_count: index.liveTasksWithTag(line.id) }
        }),
      ),

    async views(tx, lines, { ids }) {
      const views = ids.mapValue(lines)
      await insertRows(
        tx,
        'views',
        views.map(({ pinned_by: _, ...view }) => view),
      )
      const pins = views.flatMap(({ id, pinned_by }) =>
        pinned_by.map((pin) => ({ ...pin, view_id: id })),
      )
      await insertRows(tx, 'view_pins', pins)
    },

    templates: (tx, lines, { ids }) =>
      insertRows(
        tx,
        'templates',
        ids.mapValue(lines).map((line) => ({
          ...line,
          tasks: JSON.stringify(line.tasks),
          task_count: line.tasks.length,
        })),
      ),

    async tasks(tx, lines, { index, ids }) {
      const mapped = lines.map((line) => ({ line, now: ids.mapValue(line) }))
      await insertRows(
        tx,
        'tasks',
        mapped.map(({ line, now }) => toTaskRow(now, index.taskCounts(line.id))),
      )
      const words = mapped.map(({ now: { id, title, description } }) => ({
        id,
        words: toIndexWords(tx.actor.workspace_id, toSearchableText(title, description)),
      }))
      await tx.runEach(writeTaskWords, words)
      const tasks = mapped.map(({ now }) => now)
      const numbers = tasks.flatMap(({ id, former_numbers }) =>
        former_numbers.map((one) => ({ ...one, task_id: id })),
      )
      await insertRows(tx, 'task_numbers', numbers)
      const assignees = tasks.flatMap(({ id, assignee_ids, due_date }) =>
        assignee_ids.map((user_id) => ({ user_id, task_id: id, due_date })),
      )
      await insertRows(tx, 'task_assignees', assignees)
      const tags = tasks.flatMap(({ id, tag_ids }) =>
        tag_ids.map((tag_id) => ({ tag_id, task_id: id })),
      )
      await insertRows(tx, 'task_tags', tags)
    },

    async comments(tx, lines, { ids }) {
      const comments = ids.mapValue(lines)
      const rows = comments.map((line) => ({ ...line, mentions: JSON.stringify(line.mentions) }))
      await insertRows(tx, 'comments', rows)
      const words = comments.map(({ id, body }) => ({
        id,
        words: toIndexWords(tx.actor.workspace_id, body),
      }))
      await tx.runEach(writeCommentWords, words)
    },

    time_entries: (tx, lines, { ids }) =>
      insertRows(
        tx,
        'time_entries',
        ids.mapValue(lines).map((line) => ({ ...line, billable: line.billable ? 1 : 0 })),
      ),

    activity: (tx, lines, { ids }) =>
      insertRows(
        tx,
        'activity',
        ids.mapValue(lines).map((line) => ({ ...line, changes: JSON.stringify(line.changes) })),
      ),

    events: (tx, lines, { ids }) =>
      insertRows(
        tx,
        'events',
        ids.mapValue(lines).map(({ event, ...about }) => ({
          ...about,
          sequence: event.sequence,
          id: event.id,
          type: event.type,
          project_id: event.project_id,
          payload: JSON.stringify(event),
          created_at: event.timestamp,
        })),
      ),

    // An audit log says what happened in one installation, and this one begins its own.
    audit: async () => {},

    /**
     * Archives hold no secrets, so webhooks get new ones and stay off until their receivers know
     * them.
     */
    webhooks: (tx, lines, { ids }) =>
      insertRows(
        tx,
        'webhooks',
        ids.mapValue(lines).map((line) => {
          const secret = newWebhookSecret()
          return {
            ...line,
            events: JSON.stringify(line.events),
            project_ids: line.project_ids && JSON.stringify(line.project_ids),
            is_active: 0,
            disabled_reason: 'manual',
            failure_count: 0,
            sealed_secret: tx.encrypt(secret),
            secret_hint: secret.slice(-4),
            enabled_after_sequence: 0,
          }
        }),
      ),

    /** Applications have no usable secret until it is rotated. */
    applications: (tx, lines, { ids }) =>
      insertRows(
        tx,
        'applications',
        ids.mapValue(lines).map((line) => ({
          ...line,
          redirect_uris: JSON.stringify(line.redirect_uris),
          scopes: JSON.stringify(line.scopes),
        })),
      ),

    attachments: (tx, lines, { ids }) =>
      insertRows(
        tx,
        'attachments',
        ids.mapValue(lines).map(({ file: _, content_type, ...line }) => ({
          ...line,
          content_type: toMediaType(content_type),
        })),
      ),
  }

/** Inserts the links between tasks once all tasks exist, and updates the lists that tasks show. */
export async function linkTasks(
  tx: WriteTx,
  lines: readonly ArchiveLines['tasks'][],
  { ids: mapping }: LoadContext,
): Promise<void> {
  const links = lines.flatMap(({ id, blocked_by_ids }) =>
    blocked_by_ids.map((one) => ({ task_id: mapping.mapId(id), blocker_id: mapping.mapId(one) })),
  )
  await insertRows(tx, 'task_blocks', links)
  const ids = new Set(links.flatMap(({ task_id, blocker_id }) => [task_id, blocker_id]))
  await tx.run(rebuildDependencyLists, { ids: [...ids] })
}

const nameColumns = (name: string) => ({
  name_key: foldCase(name),
  name_words: ` ${extractSearchWords(name).join(' ')}`,
})

function toTaskRow(
  { former_numbers: _, ...task }: ArchiveLines['tasks'],
  counts: ReturnType<ArchiveIndex['taskCounts']>,
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
