import { type Insertable, sql } from 'kysely'
import type { WriteTx } from '#core/transaction.ts'
import {
  command,
  memoizeByShape,
  query,
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
import { adjustCommentCount } from '#resources/comments/store.ts'
import { PRIORITIES } from '#resources/tasks/fields.ts'
import { adjustTagCount, rebuildDependencyLists } from '#resources/tasks/statements/links.ts'
import { adjustTaskCount, writeTaskWords } from '#resources/tasks/store.ts'
import { type ArchiveLines, definitionOf, type TablePart } from '../format/line-schemas.ts'

const ID = /\b([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}\b/g

/**
 * Maps ids of an archive to new ones. People get their account ids; ids that no line has are kept.
 */
interface IdMapping {
  mapId(id: string): string
  /** The id that a record had in the archive. */
  archiveId(id: string): string
  /** Maps the ids in all strings of a value, at any depth. */
  mapValue<T>(value: T): T
}

/**
 * Derives new ids of the records from `twinKey`, or maps only the people who have another id here if
 * there is no key. It keeps no table of old and new ids, so that a million ids take little memory.
 */
export function createIdMapping(
  people: ReadonlyMap<string, string>,
  twinKey: string | undefined,
  isRecord: (id: string) => boolean,
): IdMapping {
  const mapId = (id: string): string => {
    if (id.startsWith('usr_')) return people.get(id) ?? id
    return twinKey !== undefined && isRecord(id) ? remapId(id, twinKey) : id
  }
  const isIdentity = () => twinKey === undefined && people.size === 0
  const mapDeep = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(ID, mapId)
    if (Array.isArray(value)) return value.map(mapDeep)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapDeep(one)]))
  }
  // The derivation is its own inverse.
  const archiveId = (id: string) => (twinKey === undefined ? id : remapId(id, twinKey))
  return {
    mapId,
    archiveId,
    mapValue: <T>(value: T) => (isIdentity() ? value : (mapDeep(value) as T)),
  }
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
      created_at: $.created_at,
      updated_at: $.updated_at,
    }),
)

/** The `removed_at` of members until the import is complete: nobody is an active member before. */
export const PENDING_REMOVED_AT = '9999-12-31T23:59:59.999Z'

export const activateMembers = command((db) =>
  db
    .updateTable('memberships')
    .set({ removed_at: null })
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

/** The tasks with some ids. */
export const tasksWithIds = query((db, $: Scoped<IdList>, { inList }) =>
  db
    .selectFrom('tasks')
    .select(['id', 'project_id', 'status_category'])
    .where(inList('tasks.id', $.ids)),
)

/** A task whose former number is that of another task of the project. */
export const taskWithTakenNumber = query((db) =>
  db
    .selectFrom('task_numbers')
    .innerJoin('tasks', (join) =>
      join
        .onRef('tasks.project_id', '=', 'task_numbers.project_id')
        .onRef('tasks.number', '=', 'task_numbers.number'),
    )
    .select('task_numbers.task_id as id')
    .limit(1),
)

/** Adds to a counter of a task. */
const addToTask = memoizeByShape((column: 'attachment_count' | 'time_spent_seconds') =>
  command((db, $: Scoped<{ task_id: string; by: number }>) =>
    db
      .updateTable('tasks')
      .set((task) => ({ [column]: task(column, '+', $.by) }))
      .where('id', '=', $.task_id),
  ),
)

/** Counts undeleted tasks in their projects and tags. */
async function countTasks(tx: WriteTx, tasks: readonly ArchiveLines['tasks'][]): Promise<void> {
  const live = tasks.filter(({ deleted_at }) => deleted_at === null)
  const byProject = Map.groupBy(live, ({ project_id }) => project_id)
  for (const [project_id, ofProject] of byProject) {
    const byCategory = Map.groupBy(ofProject, ({ status_category }) => status_category)
    for (const [category, { length }] of byCategory)
      await tx.run(adjustTaskCount(category), { project_id, by: length })
  }
  const byTag = Map.groupBy(
    live.flatMap(({ tag_ids }) => tag_ids),
    (id) => id,
  )
  for (const [tag_id, { length }] of byTag) await tx.run(adjustTagCount, { tag_id, by: length })
}

/** Sets the bytes of all attachments. */
export const setAttachmentBytes = command((db, $: Scoped<{ bytes: number }>) =>
  db.updateTable('workspaces').set({ attachment_bytes: $.bytes }),
)

/** Inserts the rows of checked lines, whose ids are those of the new records. */
type LineLoader<P extends TablePart> = (tx: WriteTx, lines: ArchiveLines[P][]) => Promise<void>

/** Inserts lines of a part whose columns are the fields, in the table of the part. */
async function insertLines<P extends TablePart>(
  tx: WriteTx,
  part: P,
  lines: readonly ArchiveLines[P][],
): Promise<void> {
  const { table, json = [], flags = [] } = definitionOf(part)
  const rows = lines.map((line) => {
    const row: Record<string, unknown> = { ...line }
    for (const name of json) row[name] = row[name] === null ? null : JSON.stringify(row[name])
    for (const name of flags) row[name] = row[name] === true ? 1 : 0
    return row
  })
  await insertRows(tx, table, rows)
}

/** The loader of a part. The workspace and its members are inserted before. */
export const loadLines = <P extends TablePart>(
  tx: WriteTx,
  part: P,
  lines: ArchiveLines[P][],
): Promise<void> => {
  const load: LineLoader<P> | undefined = LINE_LOADERS[part]
  return load ? load(tx, lines) : insertLines(tx, part, lines)
}

/** The parts that fill columns or tables beside those of their fields. */
export const LINE_LOADERS: { [P in TablePart]?: LineLoader<P> } = {
  async projects(tx, projects) {
    await insertRows(
      tx,
      'projects',
      projects.map(({ former_prefixes: _, people_ids: __, ...project }) => ({
        ...project,
        ...nameColumns(project.name),
        statuses: JSON.stringify(project.statuses),
        backlog_count: 0,
        unstarted_count: 0,
        started_count: 0,
        completed_count: 0,
        canceled_count: 0,
      })),
    )
    const prefixes = projects.flatMap(({ id, prefix, former_prefixes }) =>
      [prefix, ...former_prefixes].map((one) => ({ prefix: one, project_id: id })),
    )
    await insertRows(tx, 'project_prefixes', prefixes)
    const people = projects.flatMap(({ id, people_ids }) =>
      people_ids.map((user_id) => ({ project_id: id, user_id })),
    )
    await insertRows(tx, 'project_people', people)
  },

  tags: (tx, lines) =>
    insertRows(
      tx,
      'tags',
      lines.map((line) => ({ ...line, ...nameColumns(line.name), task_count: 0 })),
    ),

  async views(tx, views) {
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

  templates: (tx, lines) =>
    insertRows(
      tx,
      'templates',
      lines.map((line) => ({
        ...line,
        tasks: JSON.stringify(line.tasks),
        task_count: line.tasks.length,
      })),
    ),

  async tasks(tx, tasks) {
    await insertRows(tx, 'tasks', tasks.map(toTaskRow))
    const words = tasks.map(({ id, title, description }) => ({
      id,
      words: toIndexWords(tx.actor.workspace_id, toSearchableText(title, description)),
    }))
    await tx.runEach(writeTaskWords, words)
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
    await countTasks(tx, tasks)
  },

  async comments(tx, comments) {
    await insertLines(tx, 'comments', comments)
    const words = comments.map(({ id, body }) => ({
      id,
      words: toIndexWords(tx.actor.workspace_id, body),
    }))
    await tx.runEach(writeCommentWords, words)
    await tx.runEach(
      adjustCommentCount,
      comments.map(({ task_id }) => ({ task_id, by: 1 })),
    )
  },

  async time_entries(tx, entries) {
    await insertLines(tx, 'time_entries', entries)
    await tx.runEach(
      addToTask('time_spent_seconds'),
      entries.map(({ task_id, duration_seconds }) => ({ task_id, by: duration_seconds ?? 0 })),
    )
  },

  events: (tx, lines) =>
    insertRows(
      tx,
      'events',
      lines.map(({ event, ...about }) => ({
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
  webhooks: (tx, lines) =>
    insertRows(
      tx,
      'webhooks',
      lines.map((line) => {
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

  async attachments(tx, attachments) {
    const rows = attachments.map(({ file: _, content_type, ...line }) => ({
      ...line,
      content_type: toMediaType(content_type),
    }))
    await insertRows(tx, 'attachments', rows)
    await tx.runEach(
      addToTask('attachment_count'),
      attachments.map(({ task_id }) => ({ task_id, by: 1 })),
    )
  },
}

/** Inserts links between tasks, with new ids, and updates the lists that the tasks show. */
export async function linkTasks(
  tx: WriteTx,
  links: readonly { task_id: string; blocker_id: string }[],
): Promise<void> {
  await insertRows(tx, 'task_blocks', links)
  const ids = new Set(links.flatMap(({ task_id, blocker_id }) => [task_id, blocker_id]))
  await tx.run(rebuildDependencyLists, { ids: [...ids] })
}

const nameColumns = (name: string) => ({
  name_key: foldCase(name),
  name_words: ` ${extractSearchWords(name).join(' ')}`,
})

function toTaskRow({ former_numbers: _, ...task }: ArchiveLines['tasks']) {
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
    time_spent_seconds: 0,
    comment_count: 0,
    attachment_count: 0,
    subtask_count: 0,
    completed_subtask_count: 0,
  }
}
