import type { RawBuilder } from 'kysely'
import type { TObject, TSchema } from 'typebox'
import type { Dialect } from '#db/core/dialect.ts'
import type { Scoped } from '#db/core/statement.ts'
import type { Tables, TableWith } from '#db/schema/tables.ts'
import type { IdPrefix } from '#lib/id.ts'
import type { EventKind } from '#wire/event-kinds.ts'
import { Id, Integer, Nullable, Timestamp } from '#wire/schema-builders.ts'
import type { RecordType } from '#wire/scopes.ts'

/** The events of a type of record, by the second part of their kind: `created`, `updated` … */
type EventVerb<T extends RecordType> = EventKind extends infer K
  ? K extends `${T}.${infer Verb}`
    ? Verb
    : never
  : never

/** How the records of a noun stand in the feed of changes, and their events (docs/spec/api.md#changes). */
export interface AnyRecordDefinition {
  /** What an event has in `data`. */
  schema: TSchema
  /** When each event is sent, as a sentence. */
  events: Readonly<Record<string, string>>
  table: TableWith<'numbered', true>
  idPrefix: IdPrefix
  /**
   * The order of changes with the same number: a record comes after those that it belongs to. Positions contain
   * it, so it never changes.
   */
  rank: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8
  /** Which record it belongs to; its table has the column `project_id` or `task_id`. */
  of: 'workspace' | 'project' | 'task'
  /** A join that its JSON needs beside the task. */
  join?: RawBuilder<unknown>
  /** What sorts the records of a task by their ids, if not the id itself. */
  order?: RawBuilder<unknown>
  json(dialect: Dialect, $: Scoped): RawBuilder<string>
}

export interface RecordDefinition<T extends RecordType> extends AnyRecordDefinition {
  events: Readonly<Record<EventVerb<T>, string>>
}

/** Checks that a type of record explains all its events. */
export const defineRecord = <T extends RecordType>(
  _type: T,
  definition: RecordDefinition<T>,
): RecordDefinition<T> => definition

/** Rows of another table that a field of a line lists: a column of each, or an object of several. */
export interface RelatedRows {
  table: keyof Tables
  /** The column with the id of the line. */
  of: string
  columns: readonly string[]
  /** By what the rows of a line are sorted. */
  order: string
}

/**
 * A part of the archive of a workspace: the schema of its lines, in the order of their fields, and where they
 * come from. Values that can be derived from other lines (counts, short ids, search words, the tasks that a
 * task blocks) are left out.
 */
export interface ArchivePartDefinition<S extends TObject = TObject> {
  line: S
  table: keyof Tables
  /** The table with those that are joined to it, if there are any. */
  from?: RawBuilder<unknown>
  /** The sort columns, `id` by default. The table has an index on its workspace and these. */
  key?: readonly string[]
  /** Columns by field, where their names differ or need their table. */
  renamed?: Readonly<Record<string, string>>
  /** Fields whose columns hold JSON. */
  json?: readonly string[]
  /** Fields whose columns hold 0 or 1. */
  flags?: readonly string[]
  related?: Readonly<Record<string, RelatedRows>>
  /** Fields that no table has. */
  added?: readonly string[]
  /** The fields that name people, and those that name projects. */
  people?: readonly string[]
  projects?: readonly string[]
}

/** Keeps the type of the lines of a part. */
export const defineArchivePart = <S extends TObject>(
  part: ArchivePartDefinition<S>,
): ArchivePartDefinition<S> => part

/* Fields of lines. */

export const NullableTimestamp = Nullable(Timestamp())
export const NonNegativeInteger = Integer(0, Number.MAX_SAFE_INTEGER)
export const PositiveInteger = Integer(1, Number.MAX_SAFE_INTEGER)
export const UserId = Id('usr')
export const CREATION_FIELDS = {
  created_by_id: UserId,
  created_at: Timestamp(),
  updated_at: Timestamp(),
}
