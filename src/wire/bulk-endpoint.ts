import { type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import type { Endpoint } from './endpoint.ts'
import type { ErrorCode } from './error-code.ts'
import { ERROR_FIELDS } from './error-schemas.ts'
import { type FieldError, fieldError } from './field-error.ts'
import {
  AnyObject,
  FieldOf,
  Flag,
  Id,
  IdReference,
  Integer,
  List,
  Nullable,
  nounOf,
  Optional,
  StrictObject,
  StringEnum,
  Timestamp,
} from './schema-builders.ts'

/** One operation of a bulk request after its outer shape was validated; its kind requires the members. */
export interface BulkOperationInput<Op extends string = string> {
  op: Op
  /** The record of an operation on an existing one. */
  id?: string
  /** The project or task in which a record is created, where that is in the path of its endpoint. */
  project_id?: string
  task_id?: string
  /** The revision that the record must have. */
  version?: number
  updated_at?: string
  /** The body of the operation, which the operation itself validates. */
  data?: Record<string, unknown>
}

/** The body of a bulk request. */
export interface BulkBody<Op extends string = string> {
  operations: BulkOperationInput<Op>[]
  atomic?: boolean
}

/** A bulk endpoint, with the fields of `bulkEndpoint`. */
export type BulkEndpoint = Endpoint & { method: 'POST'; body: TUnsafe<BulkBody>; reply: TSchema }

/** A kind of operation: its members beside `op`, and what it does, for the reference. */
interface BulkOperationKind {
  description: string
  properties: TProperties
}

/** The members by which an operation names an existing record whose revision is its `updated_at`. */
const existingRecord = (prefix: string) => ({
  id: IdReference(prefix, { description: `The id of the ${nounOf(prefix)}.` }),
  updated_at: Optional(
    Timestamp({
      description: `The \`updated_at\` that the ${nounOf(prefix)} must have; otherwise the operation fails with 412. Default: any.`,
    }),
  ),
})

const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** What all bulk endpoints have in common, with body and reply (docs/spec/api.md#extensions). */
export function bulkEndpoint<R extends TSchema, const Op extends string>(
  prefix: string,
  { name, plural, record }: { name: string; plural: string; record: R },
  kinds: Readonly<Record<Op, BulkOperationKind>>,
) {
  const noun = nounOf(prefix)
  const operations = Object.keys(kinds) as Op[]
  const schemas = operations.map((op) => {
    const { description, properties } = kinds[op]
    const kind = StringEnum([op], { description: 'The kind of operation.' })
    const title = `Bulk${name}${capitalize(op)}`
    return [op, StrictObject({ op: kind, ...properties }, { title, description })] as const
  })
  const request = StrictObject(
    {
      operations: List(operationSchema(name, noun, schemas), {
        minItems: 1,
        maxItems: 100,
        description: 'The operations, which run in this order.',
      }),
      atomic: Optional(
        Flag({
          default: true,
          description:
            '`true`: if one operation fails, none has an effect, and the reply is its error. ' +
            '`false`: each is on its own. Default: `true`.',
        }),
      ),
    },
    {
      title: `Bulk${plural}Request`,
      description: `A bulk request: operations on ${noun.replace(/y$/, 'ie')}s.`,
    },
  )
  const error = StrictObject(ERROR_FIELDS, {
    title: `Bulk${name}Error`,
    description: 'Why an operation of a bulk request failed.',
  })
  const result = StrictObject(
    {
      index: Integer(0, 99, { description: 'The index of the operation in the request, from 0.' }),
      status: Integer(200, 599, {
        description: 'The status that the endpoint of the operation would have returned.',
      }),
      operation_id: Nullable(Id('opr'), {
        description: 'The `operation_id` of its events. Null if it changed nothing.',
      }),
      data: Nullable(record, {
        description: `The ${noun} after the operation. Null if it was deleted, or if the operation failed.`,
      }),
      error: Nullable(error, { description: 'Why the operation failed. Null if it succeeded.' }),
    },
    { title: `Bulk${name}Result`, description: 'The result of one operation.' },
  )
  const reply = StrictObject(
    {
      results: List(result, {
        description: 'The results, one for each operation and in the same order.',
      }),
      succeeded: Integer(0, 100, { description: 'How many operations succeeded.' }),
      failed: Integer(0, 100, { description: 'How many operations failed: none with `atomic`.' }),
    },
    { title: `Bulk${plural}Reply`, description: 'The results of a bulk request.' },
  )
  return {
    method: 'POST',
    grantsLastingAccess: false,
    body: Type.Unsafe<BulkBody<Op>>(request),
    reply,
    dryRun: true,
    conditions: 'refused',
  } as const
}

/**
 * The bulk endpoint of a noun whose records are created, updated and deleted, as it follows from the
 * endpoints of one record. `parent` is the member that names what a new record is in.
 */
export function bulkWritesEndpoint<R extends TSchema>(
  prefix: string,
  names: { name: string; plural: string },
  writes: {
    create: Endpoint & { body: TSchema }
    update: Endpoint & { body: TSchema; reply: R }
    delete: Endpoint
  },
  parent: TProperties,
  descriptions: Readonly<Record<keyof typeof writes, string>>,
) {
  const noun = nounOf(prefix)
  const existing = existingRecord(prefix)
  const errors = new Set<ErrorCode>(['insufficient_role', 'project_archived'])
  for (const code of writes.create.errors ?? []) errors.add(code)
  for (const code of ['limit_reached', 'not_found', 'version_mismatch'] as const) errors.add(code)
  return {
    description:
      'Runs up to 100 operations in order, which count as one request. ' +
      `If an operation deletes a ${noun}, the credential also needs the scope \`${writes.delete.scope}\`.`,
    roles: 'As for the endpoint of each operation.',
    errors: [...errors],
    ...bulkEndpoint(
      prefix,
      { ...names, record: writes.update.reply },
      {
        create: {
          description: descriptions.create,
          properties: { ...parent, data: FieldOf(writes.create.body, `The new ${noun}.`) },
        },
        update: {
          description: descriptions.update,
          properties: {
            ...existing,
            data: FieldOf(writes.update.body, `The changes of the ${noun}.`),
          },
        },
        delete: { description: descriptions.delete, properties: existing },
      },
    ),
  } as const
}

/**
 * One object with the members of all kinds, because the parser chooses no schema by `op`; the kind then
 * decides which members it requires and accepts. Its `data` is validated when the operation runs. The
 * OpenAPI document has a schema for each kind.
 */
function operationSchema<Op extends string>(
  name: string,
  noun: string,
  schemas: readonly (readonly [Op, ReturnType<typeof StrictObject>])[],
): TUnsafe<BulkOperationInput<Op>> {
  const byOp = new Map<unknown, (typeof schemas)[number][1]>(schemas)
  const properties = Object.assign({}, ...schemas.map(([, schema]) => schema.properties))
  const { op: _, ...members } = properties
  const names = Object.keys(members)
  const documented = Type.Union([...byOp.values()], {
    title: `Bulk${name}Operation`,
    description: `One operation on one ${noun}. \`op\` says which one.`,
    'x-discriminator': 'op',
  })

  const findWrongMembers = (input: Readonly<Record<string, unknown>>): FieldError[] => {
    const schema = byOp.get(input.op)
    if (!schema) return []
    const wrong = names.filter((one) => input[one] !== undefined && !(one in schema.properties))
    const missing = (schema.required ?? []).filter((one) => input[one] === undefined)
    const why = `is not accepted by the operation ${input.op}`
    return [
      ...wrong.map((one) => fieldError(one, 'unknown_field', why)),
      ...missing.map((one) => fieldError(one, 'required', 'is required')),
    ]
  }

  const flat: TProperties = Object.fromEntries(
    names.map((one) => [one, Optional(one === 'data' ? AnyObject : members[one])]),
  )
  return Type.Unsafe<BulkOperationInput<Op>>(
    StrictObject(
      { op: StringEnum(schemas.map(([op]) => op)), ...flat },
      { 'x-together': findWrongMembers, 'x-documented': documented },
    ),
  )
}
