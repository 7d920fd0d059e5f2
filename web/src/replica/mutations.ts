/** What every record of the server has. */
export interface VersionedRecord {
  readonly id: string
  readonly project_id: string
  /** Grows with each write of the record, but not with what is derived from others. */
  readonly version: number
}

/** A record of the server, as much of it as a page needs. */
export interface ReplicaRecord extends VersionedRecord {
  readonly [field: string]: unknown
}

/** Some fields of a record. */
export type FieldValues = Readonly<Record<string, unknown>>

/** A write of one record that the server has not acknowledged. JSON: a later page may have to send it. */
export type Mutation =
  | (MutationHead & {
      readonly kind: 'create'
      /** As it is shown until the server has created it, with a temporary id. */
      readonly record: ReplicaRecord
    })
  | (MutationHead & {
      readonly kind: 'update'
      readonly id: string
      readonly patch: FieldValues
      /** The values that the person saw of the same fields when they changed them. */
      readonly before: FieldValues
    })
  | (MutationHead & { readonly kind: 'delete'; readonly id: string })

interface MutationHead {
  /** Its Idempotency-Key. */
  readonly key: string
}

/** The id of the record that a mutation writes. */
export const getTargetId = (mutation: Mutation): string =>
  mutation.kind === 'create' ? mutation.record.id : mutation.id

/** A record with the pending mutations of it applied, in the order in which they were made. */
export function applyMutations(
  base: ReplicaRecord | undefined,
  mutations: readonly Mutation[],
): ReplicaRecord | undefined {
  let record = base
  for (const mutation of mutations) {
    if (mutation.kind === 'create') record = mutation.record
    else if (mutation.kind === 'delete') record = undefined
    else record &&= { ...record, ...mutation.patch }
  }
  return record
}

/**
 * The fields of a mutation that have a value which the person has not seen and does not want. A
 * deletion has none: it means the record, whatever its fields are.
 */
export function findConflict(mutation: Mutation, base: ReplicaRecord): string[] {
  if (mutation.kind !== 'update') return []
  const { patch, before } = mutation
  return Object.keys(patch).filter(
    (field) => !isEqualJson(base[field], before[field]) && !isEqualJson(base[field], patch[field]),
  )
}

/** Fields by which a record refers to others, which must exist before it is sent. */
const REFERENCE_FIELDS: readonly string[] = ['parent_id', 'before_id', 'after_id']

/** The records whose earlier mutations a mutation has to wait for. */
export function getOrderedIds(mutation: Mutation): string[] {
  const fields = getValues(mutation)
  const references = REFERENCE_FIELDS.map((field) => fields[field])
  return [getTargetId(mutation), ...references.filter((id) => typeof id === 'string')]
}

/** The same mutation with a record's id in place of its temporary one; the same object if it has none. */
export function replaceTempId(mutation: Mutation, tempId: string, id: string): Mutation {
  if (!getOrderedIds(mutation).includes(tempId)) return mutation
  const replaceIn = <V extends FieldValues>(values: V): V => ({
    ...values,
    ...Object.fromEntries(
      REFERENCE_FIELDS.filter((field) => values[field] === tempId).map((field) => [field, id]),
    ),
  })
  if (mutation.kind === 'create') return { ...mutation, record: replaceIn(mutation.record) }
  const target = mutation.id === tempId ? id : mutation.id
  if (mutation.kind === 'delete') return { ...mutation, id: target }
  const { patch, before } = mutation
  return { ...mutation, id: target, patch: replaceIn(patch), before: replaceIn(before) }
}

/**
 * A later mutation of the same record as an abandoned one. Where the person started from a value that will
 * never be the server's, they had seen the one below it before. Only `fields` are considered, and those
 * are removed from them for which this is the mutation that started from it.
 */
export function rebaseOnAbandoned(
  later: Mutation,
  abandoned: Mutation,
  fields: Set<string>,
): Mutation {
  if (later.kind !== 'update' || abandoned.kind !== 'update') return later
  const { before } = later
  const rebased = [...fields].filter(
    (field) => Object.hasOwn(before, field) && isEqualJson(before[field], abandoned.patch[field]),
  )
  if (rebased.length === 0) return later
  for (const field of rebased) fields.delete(field)
  const values = Object.fromEntries(rebased.map((field) => [field, abandoned.before[field]]))
  return { ...later, before: { ...before, ...values } }
}

/** The fields that a mutation sets. */
export const listPatchedFields = (mutation: Mutation): string[] =>
  mutation.kind === 'update' ? Object.keys(mutation.patch) : []

const getValues = (mutation: Mutation): FieldValues => {
  if (mutation.kind === 'create') return mutation.record
  return mutation.kind === 'update' ? mutation.patch : {}
}

export const isEqualJson = (a: unknown, b: unknown): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b)
