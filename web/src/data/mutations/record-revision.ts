import { isSameValue } from '../tasks/task-patch.ts'

/** A record other than a task. Its `updated_at` changes exactly with its own fields. */
export interface RevisedRecord {
  readonly id: string
  readonly updated_at: string
}

/** The revision in the ETag of a record (docs/spec/api.md#conditional-requests). */
export const toRevision = ({ updated_at }: RevisedRecord): string =>
  Date.parse(updated_at).toString(36)

/** Of two states of a record the newer one: a reply may come after a later state was read. */
export const newerOf = <R extends RevisedRecord>(known: R, reply: R): R =>
  known.updated_at > reply.updated_at ? known : reply

/** The patched fields that have another value than in `base` now, and not the wanted one either. */
export function findChangedFields<R extends object>(
  base: R,
  patch: { readonly [N in keyof R]?: unknown },
  current: R,
): (keyof R)[] {
  return (Object.keys(patch) as (keyof R)[]).filter(
    (name) => !isSameValue(base[name], current[name]) && !isSameValue(patch[name], current[name]),
  )
}
