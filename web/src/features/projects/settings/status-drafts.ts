import type { Status, StatusCategory } from '#resources/projects/contract.ts'

/** A status that is being edited. A new one has no key yet, and its id exists only in the page. */
export interface StatusDraft {
  id: string
  key: string | undefined
  name: string
  category: StatusCategory
  color: string | undefined
}

export const STATUS_CATEGORY_OPTIONS = [
  'backlog',
  'unstarted',
  'started',
  'completed',
  'canceled',
] as const satisfies readonly StatusCategory[]

const OPEN_CATEGORIES: readonly StatusCategory[] = ['backlog', 'unstarted', 'started']

export const toStatusDrafts = (statuses: readonly Status[]): StatusDraft[] =>
  statuses.map(({ key, name, category, color }) => ({ id: key, key, name, category, color }))

/**
 * The drafts after those of `sent` were saved as `saved`, in the same order. What was changed while
 * the request was under way stays; a status that was new has its key now.
 */
export const keepLaterDrafts = (
  drafts: readonly StatusDraft[],
  sent: readonly StatusDraft[],
  saved: readonly Status[],
): StatusDraft[] =>
  drafts.map((draft) => {
    const at = sent.findIndex(({ id }) => id === draft.id)
    const status = saved[at]
    if (!status) return draft
    const { key, color } = status
    const { id, name, category } = draft === sent[at] ? { ...status, id: draft.id } : draft
    return { id, key, name, category, color }
  })

/** Builds the request body. The server generates a missing key or color. */
export const toStatusInputs = (drafts: readonly StatusDraft[]) =>
  drafts.map(({ key, name, category, color }) => ({
    name: name.trim(),
    category,
    ...(key !== undefined && { key }),
    ...(color !== undefined && { color }),
  }))

/** Moves a draft to another index. Does nothing if the index is out of range. */
export function moveStatusDraft(
  drafts: readonly StatusDraft[],
  from: number,
  to: number,
): StatusDraft[] {
  const draft = drafts[from]
  if (!draft || to < 0 || to >= drafts.length) return [...drafts]
  return drafts.toSpliced(from, 1).toSpliced(to, 0, draft)
}

/** Whether there is a status for open tasks and one for completed tasks (docs/spec/api.md#project). */
export const hasRequiredStatuses = (drafts: readonly StatusDraft[]): boolean =>
  drafts.some(({ category }) => category === 'completed') &&
  drafts.some(({ category }) => OPEN_CATEGORIES.includes(category))

/** Whether the drafts differ from the statuses of the project. */
export const hasStatusChanges = (
  drafts: readonly StatusDraft[],
  statuses: readonly Status[],
): boolean =>
  JSON.stringify(toStatusInputs(drafts)) !==
  JSON.stringify(toStatusInputs(toStatusDrafts(statuses)))
