import { Type } from 'typebox'
import { STATUS_CATEGORIES } from '#resources/projects/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import { Filename, Upload } from '#wire/file.ts'
import {
  Fields,
  Flag,
  Id,
  Line,
  List,
  Nullable,
  OneOf,
  Optional,
  type Static,
  Timestamp,
  Whole,
} from '#wire/schema.ts'

/** Files that Docket reads: a table with any columns, or what these tools write. */
export const KINDS = [
  ...(['csv', 'docket', 'trello', 'linear', 'jira', 'todoist', 'github', 'vikunja'] as const),
] as const
export type Kind = (typeof KINDS)[number]

/** `reading` → `ready` → `running` (↔ `paused`) → `done`, or `canceled`; from both back by `undoing`. */
export const STATES = [
  ...(['reading', 'ready', 'running', 'paused', 'done'] as const),
  ...(['canceled', 'failed', 'undoing', 'undone'] as const),
] as const
export type State = (typeof STATES)[number]

/** Fields of a task that a column of a table can hold. */
export const FIELDS = [
  ...(['title', 'description', 'status', 'priority', 'assignees', 'tags', 'project'] as const),
  ...(['start_date', 'due_date', 'estimate', 'parent', 'blocked_by', 'id', 'completed'] as const),
] as const
export type Field = (typeof FIELDS)[number]

export const MOST_COLUMNS = 500
export const MOST_PROJECTS = 50
export const MOST_STATUS_NAMES = 200
export const MOST_PEOPLE = 500

/** As a file has it: never trimmed into something else, so that it is found again. */
const Given = Type.String({ format: 'raw', maxLength: 500 })
const Count = Whole(0, Number.MAX_SAFE_INTEGER)

const Columns = List(Fields({ field: OneOf(FIELDS), column: Given }), { maxItems: FIELDS.length })
const project = { name: Given, project_id: Nullable(Id('prj')) }
const status = { name: Given, category: OneOf(STATUS_CATEGORIES) }
const person = { name: Given, user_id: Nullable(Id('usr')) }

export type Import = Static<typeof Import>
export const Import = Type.Object(
  {
    id: Id('imp'),
    status: OneOf(STATES),
    kind: Nullable(OneOf(KINDS)),
    latin1: Flag({ description: 'Whether the file is read as Windows-1252 instead of UTF-8.' }),
    filename: Filename,
    size_bytes: Count,
    headers: List(Given, { description: 'Of a table: its columns, in order.' }),
    columns: Columns,
    projects: List(Fields({ ...project, count: Count }), {
      description: 'Projects that the file names; without `project_id` a new one is made.',
    }),
    statuses: List(Fields({ ...status, count: Count })),
    people: List(Fields({ ...person, count: Count }), {
      description: 'Without `user_id` nobody is assigned, and comments say who wrote them.',
    }),
    sample: List(
      Fields({
        number: Count,
        title: Line(0, 500),
        status: Nullable(Given),
        due_date: Nullable(Given),
        assignees: List(Given),
        tags: List(Given),
      }),
      { description: 'The first tasks as they were understood.' },
    ),
    row_count: Count,
    done_count: Whole(0, Number.MAX_SAFE_INTEGER, { description: 'Rows that are dealt with.' }),
    made_count: Count,
    failed_count: Whole(0, Number.MAX_SAFE_INTEGER, { description: 'Rows that make no task.' }),
    error: Nullable(Type.String({ description: 'Why it failed, as a sentence.' })),
    created_by_id: Id('usr'),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'Import', additionalProperties: false },
)

const OneImport = Fields({ id: Id('imp') })
const SESSION = { scope: 'session', limit: 'session', tag: 'Imports' } as const

export const listImports = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/imports',
  summary: 'List the latest imports',
  reply: Fields({ data: List(Import) }),
})

export const createImport = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/imports',
  summary: 'Upload a file that is to be brought in',
  description: 'It is read in the background; nothing is made before `start`.',
  query: Fields({ filename: Optional(Type.String({ format: 'raw' })) }),
  body: Upload,
  upload: true,
  reply: Import,
  status: 201,
})

export const getImport = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/imports/:id',
  summary: 'Tell how an import goes',
  params: OneImport,
  reply: Import,
})

export const updateImport = endpoint({
  ...SESSION,
  method: 'PATCH',
  path: '/internal/imports/:id',
  summary: 'Choose what becomes of what a file holds',
  description: 'Entries that are not named stay. With other columns the file is read again.',
  params: OneImport,
  body: Fields({
    kind: Optional(OneOf(KINDS)),
    latin1: Optional(Flag()),
    columns: Optional(Columns),
    projects: Optional(List(Fields(project), { maxItems: MOST_PROJECTS })),
    statuses: Optional(List(Fields(status), { maxItems: MOST_STATUS_NAMES })),
    people: Optional(List(Fields(person), { maxItems: MOST_PEOPLE })),
  }),
  reply: Import,
})

const act = (name: string, summary: string) =>
  endpoint({
    ...SESSION,
    method: 'POST',
    path: `/internal/imports/:id/${name}`,
    summary,
    params: OneImport,
    body: Fields({}),
    bodyOptional: true,
    reply: Import,
  })

export const startImport = act('start', 'Start an import, or go on with one that is paused')
export const pauseImport = act('pause', 'Pause an import')
export const cancelImport = act(
  'cancel',
  'End an import; what it has made stays until it is undone',
)
export const undoImport = act('undo', 'Take back what an import has made')

export const MOST_FAULTS = 1_000

export const listImportFaults = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/imports/:id/faults',
  summary: 'List the rows of which no task can be made',
  description: `The first ${MOST_FAULTS} of them.`,
  params: OneImport,
  reply: Fields({
    data: List(Fields({ number: Count, title: Type.String(), message: Type.String() })),
  }),
})
