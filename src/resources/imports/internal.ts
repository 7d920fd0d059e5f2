import { Type } from 'typebox'
import { STATUS_CATEGORIES } from '#resources/projects/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import { Filename, UploadedFile } from '#wire/file-schemas.ts'
import {
  Flag,
  Id,
  Integer,
  List,
  Nullable,
  Optional,
  SingleLineText,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'

/** Supported files: a CSV table with any columns, or an export of one of these tools. */
export const IMPORT_KINDS = [
  'csv',
  'docket',
  'trello',
  'linear',
  'jira',
  'todoist',
  'github',
  'vikunja',
  'ticktick',
] as const
export type ImportKind = (typeof IMPORT_KINDS)[number]

/** `reading` → `ready` → `running` (↔ `paused`) → `done` or `canceled` → `undoing` → `undone`. */
const IMPORT_STATUSES = [
  'reading',
  'ready',
  'running',
  'paused',
  'done',
  'canceled',
  'failed',
  'undoing',
  'undone',
] as const
export type ImportStatus = (typeof IMPORT_STATUSES)[number]

/** Task fields to which a column of a table can be mapped. */
export const IMPORT_FIELDS = [
  'title',
  'description',
  'status',
  'priority',
  'assignees',
  'tags',
  'project',
  'start_date',
  'due_date',
  'estimate',
  'parent',
  'blocked_by',
  'id',
  'completed',
  'comments',
] as const
export type ImportField = (typeof IMPORT_FIELDS)[number]

/** What a file may hold that no task gets. */
export const OMISSION_KINDS = [
  'attachments',
  'comments',
  'covers',
  'stickers',
  'votes',
  'reactions',
  'reminders',
  'time_entries',
  'pull_requests',
  'project_comments',
  'saved_filters',
  'power_up_values',
  'views',
  'templates',
  'webhooks',
  'applications',
  'activity',
  'deleted_tasks',
  'lines_above',
] as const
export type OmissionKind = (typeof OMISSION_KINDS)[number]

export const MAX_IMPORT_COLUMNS = 500
export const MAX_IMPORT_PROJECTS = 50
export const MAX_IMPORT_STATUS_NAMES = 200
export const MAX_IMPORT_PEOPLE = 500
export const MAX_IMPORT_PRIORITY_NAMES = 100

/** Whether `3/4/2026` is the third of April or the fourth of March. */
export const DATE_ORDERS = ['day_first', 'month_first'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

/** A text of the file. It is never trimmed, because entries are matched by it. */
const SourceText = Type.String({ format: 'raw', maxLength: 500 })
const Count = Integer(0, Number.MAX_SAFE_INTEGER)

const Columns = List(StrictObject({ field: StringEnum(IMPORT_FIELDS), column: SourceText }), {
  maxItems: MAX_IMPORT_COLUMNS,
  description:
    'Descriptions, comments, tags, assignees and blockers may have several columns; of another field, the last one counts.',
})
const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const
const project = {
  name: SourceText,
  project_id: Nullable(Id('prj')),
  new_name: Optional(
    SingleLineText(1, 100, {
      description:
        'What a new project is called; without it, as in the file, or else as the file itself.',
    }),
  ),
}
const status = { name: SourceText, category: StringEnum(STATUS_CATEGORIES) }
const person = { name: SourceText, user_id: Nullable(Id('usr')) }
const priority = { name: SourceText, priority: StringEnum(PRIORITIES) }
/** How often a name stands in the file, the title of a row that has it, and whether Docket knows it. */
const found = {
  count: Count,
  example: SourceText,
  is_known: Flag({
    description: 'False for what Docket only guesses, so that a person should decide.',
  }),
}
const dateOrder = StringEnum(DATE_ORDERS)

/** Why a file cannot be imported, or what has ended an import. */
const IMPORT_ERROR_CODES = [
  'is_pdf',
  'is_image',
  'is_web_page',
  'is_xml',
  'is_calendar',
  'is_email',
  'is_property_list',
  'is_binary',
  'is_old_office',
  'is_rtf',
  'is_excel',
  'is_word',
  'is_presentation',
  'is_iwork',
  'is_opendocument',
  'is_compressed',
  'is_tar',
  'is_database',
  'is_backup',
  'is_contacts',
  'is_key',
  'is_utf16',
  'is_not_utf8',
  'is_plain_text',
  'lines_above_table',
  'zip_damaged',
  'zip_too_many_files',
  'zip_file_too_large',
  'zip_empty',
  'zip_no_table',
  'zip_several_tables',
  'zip_packed',
  'zip_misses',
  'json_malformed',
  'json_too_deep',
  'json_unknown',
  'json_vikunja_part',
  'json_trello_cards',
  'json_asana',
  'json_jira',
  'json_google_tasks',
  'entry_too_long',
  'no_table',
  'too_many_columns',
  'too_many_cells',
  'line_too_long',
  'quote_open',
  'file_empty',
  'no_tasks',
  'no_rows',
  'no_cards',
  'no_issues',
  'no_github_issues',
  'too_many_tasks',
  'too_many_entries',
  'archive_too_large',
  'archive_damaged',
  'file_deleted',
  'not_permitted',
  'storage_full',
  'server_stopped',
  'failed',
] as const
export type ImportErrorCode = (typeof IMPORT_ERROR_CODES)[number]

export type ImportError = Static<typeof ImportError>
const ImportError = StrictObject({
  code: StringEnum(IMPORT_ERROR_CODES),
  value: Type.String({ description: 'The name in the file that it is about, or blank.' }),
  number: Nullable(Count, {
    description: 'The limit that the file exceeds, a line of it, or how many names follow `value`.',
  }),
})

export type Import = Static<typeof Import>
export const Import = Type.Object(
  {
    id: Id('imp'),
    status: StringEnum(IMPORT_STATUSES),
    kind: Nullable(StringEnum(IMPORT_KINDS)),
    latin1: Flag({ description: 'Whether the file is read as Windows-1252 instead of UTF-8.' }),
    filename: Filename,
    size_bytes: Count,
    headers: List(SourceText, {
      description:
        'Of a table: its columns, in order. One without a name is called by its place, such as `Column 3`, and the second of a name `Status (2)`.',
    }),
    column_values: List(List(SourceText), {
      description: 'Of a table: the first values of each of its `headers`.',
    }),
    has_headings: Nullable(Flag(), {
      description: 'Of a table: whether its first line names the columns.',
    }),
    columns: Columns,
    projects: List(StrictObject({ ...project, ...found }), {
      description: 'Projects that the file names; without `project_id` a new one is made.',
    }),
    statuses: List(StrictObject({ ...status, ...found })),
    people: List(StrictObject({ ...person, ...found }), {
      description: 'Without `user_id` nobody is assigned, and comments say who wrote them.',
    }),
    priorities: List(StrictObject({ ...priority, ...found })),
    date_order: Nullable(StrictObject({ order: dateOrder, count: Count, example: SourceText }), {
      description:
        'How days such as 3/4/2026 are read, if the file does not show it. Null if that is no question.',
    }),
    sample: List(
      StrictObject({
        number: Count,
        title: SingleLineText(0, 500),
        status: Nullable(SourceText),
        priority: SourceText,
        start_date: Nullable(SourceText),
        due_date: Nullable(SourceText),
        assignees: List(SourceText),
        tags: List(SourceText),
      }),
      {
        description:
          'The first tasks as they were understood. Names are those of the file; `statuses`, `people` and `priorities` say what becomes of them.',
      },
    ),
    not_taken_over: List(StrictObject({ what: StringEnum(OMISSION_KINDS), count: Count }), {
      description: 'What the file holds and no task gets.',
    }),
    project_ids: List(Id('prj'), {
      description: 'The projects that the tasks have come into.',
    }),
    row_count: Count,
    done_count: Integer(0, Number.MAX_SAFE_INTEGER, { description: 'Rows that are dealt with.' }),
    made_count: Count,
    failed_count: Integer(0, Number.MAX_SAFE_INTEGER, { description: 'Rows that make no task.' }),
    warned_count: Integer(0, Number.MAX_SAFE_INTEGER, {
      description: 'Rows of which a value becomes a text of the description.',
    }),
    error: Nullable(ImportError, { description: 'Why it failed.' }),
    created_by_id: Id('usr'),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'Import', additionalProperties: false },
)

const ImportParams = StrictObject({ id: Id('imp') })
const SESSION = { scope: 'session', limit: 'session', tag: 'Imports' } as const

export const listImports = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/imports',
  summary: 'List the latest imports',
  reply: StrictObject({ data: List(Import) }),
})

export const createImport = endpoint({
  ...SESSION,
  limit: 'transfer',
  method: 'POST',
  path: '/internal/imports',
  grantsLastingAccess: false,
  summary: 'Upload a file to import',
  description: 'It is read in the background; nothing is made before `start`.',
  query: StrictObject({ filename: Optional(Type.String({ format: 'raw' })) }),
  body: UploadedFile,
  upload: true,
  reply: Import,
  status: 201,
})

export const getImport = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/imports/:id',
  summary: 'Get the progress of an import',
  params: ImportParams,
  reply: Import,
})

export const updateImport = endpoint({
  ...SESSION,
  method: 'PATCH',
  path: '/internal/imports/:id',
  grantsLastingAccess: false,
  summary: 'Choose how a file is mapped',
  description:
    'Entries that are not named stay. With other columns the file is read again. An import that failed after it has made tasks can only be undone.',
  params: ImportParams,
  body: StrictObject({
    kind: Optional(StringEnum(IMPORT_KINDS)),
    latin1: Optional(Flag()),
    has_headings: Optional(Flag()),
    columns: Optional(Columns),
    projects: Optional(List(StrictObject(project), { maxItems: MAX_IMPORT_PROJECTS })),
    statuses: Optional(List(StrictObject(status), { maxItems: MAX_IMPORT_STATUS_NAMES })),
    people: Optional(List(StrictObject(person), { maxItems: MAX_IMPORT_PEOPLE })),
    priorities: Optional(List(StrictObject(priority), { maxItems: MAX_IMPORT_PRIORITY_NAMES })),
    date_order: Optional(dateOrder),
  }),
  reply: Import,
})

const importAction = (name: string, summary: string) =>
  endpoint({
    ...SESSION,
    limit: 'access',
    method: 'POST',
    path: `/internal/imports/:id/${name}`,
    grantsLastingAccess: false,
    summary,
    params: ImportParams,
    body: StrictObject({}),
    bodyOptional: true,
    reply: Import,
  })

export const startImport = importAction(
  'start',
  'Start an import, or go on with one that is paused',
)
export const pauseImport = importAction('pause', 'Pause an import')
export const cancelImport = importAction(
  'cancel',
  'End an import; what it has made stays until it is undone',
)
export const undoImport = importAction('undo', 'Take back what an import has made')

export const MAX_IMPORT_FAULTS = 1_000

/** A value that no field of the task can hold, for one of these reasons, is a line of its description. */
const LOSS_CODES = [
  'not_a_date',
  'not_a_duration',
  'not_a_completion',
  'not_a_priority',
  'not_in_file',
  'no_task',
  'beyond_columns',
  'too_long',
  'too_many',
  'out_of_range',
  'no_room',
  'too_deep',
  'in_other_project',
  'blocks_too_many',
  'after_due_date',
] as const
export type LossCode = (typeof LOSS_CODES)[number]

/** What else of a row is imported otherwise than the file says. */
const WARNING_CODES = [
  'title_empty',
  'title_too_long',
  'description_continued',
  'description_cut',
  'comments_cut',
  'id_taken',
  'project_unavailable',
] as const

export type ImportWarning = Static<typeof ImportWarning>
const ImportWarning = StrictObject({
  code: StringEnum([...LOSS_CODES, ...WARNING_CODES]),
  field: Type.String({
    description: 'A field of a task, `comments`, or the name of a column of the file.',
  }),
  value: Type.String({
    description: 'The value of the file, shortened; blank if that is no matter.',
  }),
  number: Nullable(Count, {
    description: 'The limit that the value exceeds, or the row that the warning is about.',
  }),
})

/** The first error of a task that the API has refused (docs/spec/api.md#types-and-codes). */
export type RowError = Static<typeof RowError>
const RowError = StrictObject({
  field: Type.String(),
  code: Type.String(),
  message: Type.String(),
})

export const listImportFaults = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/imports/:id/faults',
  summary: 'List the rows that cannot be imported',
  description: `The first ${MAX_IMPORT_FAULTS} of them.`,
  params: ImportParams,
  reply: StrictObject({
    data: List(
      StrictObject({
        number: Count,
        title: Type.String(),
        error: Nullable(RowError, {
          description: 'Why the task was refused. Null for a row of which no task could be made.',
        }),
      }),
    ),
  }),
})

export const listImportWarnings = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/imports/:id/warnings',
  summary: 'List the rows of which not every value can be imported',
  description: `The first ${MAX_IMPORT_FAULTS} of them. They become tasks all the same, and the description keeps the texts.`,
  params: ImportParams,
  reply: StrictObject({
    data: List(
      StrictObject({ number: Count, title: Type.String(), warnings: List(ImportWarning) }),
    ),
  }),
})
