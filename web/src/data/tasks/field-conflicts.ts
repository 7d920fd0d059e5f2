import {
  getPatchedFields,
  isSameValue,
  MERGED_FIELDS,
  mergeMembers,
  type Task,
  type TaskChange,
  type TaskPatch,
} from './task-patch.ts'

/** A field, or a member of one that patches merge key by key. */
type FieldPath = readonly [name: keyof Task, member?: string]

/** The fields and members that a patch changes. */
export const listFieldPaths = (patch: TaskPatch): FieldPath[] =>
  getPatchedFields(patch).flatMap((name): FieldPath[] => {
    const merged = findMergedField(name)
    return merged ? Object.keys(patch[merged] ?? {}).map((member) => [name, member]) : [[name]]
  })

/** The field of this name whose members patches merge one by one. */
const findMergedField = (name: keyof Task) => MERGED_FIELDS.find((one) => one === name)

/** A value of a task or patch; null also if it is not there. */
export function getFieldValue(of: Partial<Task> | TaskPatch, [name, member]: FieldPath): unknown {
  const value: unknown = Reflect.get(of, name)
  const isMember = member !== undefined && typeof value === 'object' && value !== null
  return (isMember ? Reflect.get(value, member) : value) ?? null
}

/** A task with another value of a field or member. */
export function withFieldValue(task: Task, [name, member]: FieldPath, value: unknown): Task {
  const merged = findMergedField(name)
  const isMember = merged !== undefined && member !== undefined
  return { ...task, [name]: isMember ? mergeMembers(task[merged], { [member]: value }) : value }
}

/**
 * The fields of a change that somebody else has set: they have neither the value that the person saw
 * nor the wanted one.
 */
export function findConflictingFields(
  { kind, patch, from }: Pick<TaskChange, 'kind' | 'patch' | 'from'>,
  theirs: Task,
): (keyof Task)[] {
  if (kind === 'delete') return []
  const isTheirs = (path: FieldPath) => {
    const value = getFieldValue(theirs, path)
    return [from, patch].every((one) => !isSameValue(getFieldValue(one, path), value))
  }
  // Additions to a set and removals from it are compatible with those of others.
  const paths = listFieldPaths(patch).filter((path) => path[0] in patch && isTheirs(path))
  return [...new Set(paths.map(([name]) => name))]
}
