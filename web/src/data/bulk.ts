import { m } from '../messages/data.ts'
import { type BulkWork, Part, type Refused } from './bulk-part.ts'
import { bulkProgress } from './bulk-progress.ts'
import { toast } from './toasts.ts'

export type { BulkWork, Meant, Refused } from './bulk-part.ts'

const AT_ONCE = 100
const SOON_MS = 1_000

/** Some tasks of one project. */
export interface Group {
  project_id: string
  numbers: readonly number[]
}

interface Many extends Omit<BulkWork, 'project_id'> {
  of: readonly Group[]
  /** Told once, when all is through: what was refused and why. */
  onRefused: (refused: readonly Refused[]) => void
}

/**
 * Changes many tasks: those that are known show it at once. Sent by hundreds, each on its own (not atomic) and only
 * if nobody changed the same meanwhile. Gives what takes all of it back.
 */
export function changeMany(work: Many): () => void {
  const parts = work.of.flatMap(({ project_id, numbers }) =>
    Array.from({ length: Math.ceil(numbers.length / AT_ONCE) }, (_, at) => {
      const some = numbers.slice(at * AT_ONCE, (at + 1) * AT_ONCE)
      return new Part({ ...work, project_id }, some)
    }),
  )
  let isUndone = false
  const undo = () => {
    if (!isUndone) void takeBack(work, parts)
    isUndone = true
  }
  void follow(work, parts, undo)
  for (const part of parts) part.begin()
  return undo
}

/** Shows how far it is, and tells at the end of what was refused. */
async function follow(work: Many, parts: readonly Part[], undo: () => void): Promise<void> {
  const refused: Refused[] = []
  const total = parts.reduce((sum, { size }) => sum + size, 0)
  let through = 0
  let isStopped = false
  const stop = () => {
    isStopped = true
    for (const part of parts) part.cancel()
  }
  let isLong = false
  const show = () => isLong && bulkProgress.set({ done: through, total, stop })
  const long = setTimeout(() => {
    isLong = true
    show()
  }, SOON_MS)
  for (const part of parts) {
    refused.push(...(await part.finished))
    if (!part.isCanceled) through += part.size
    show()
  }
  clearTimeout(long)
  bulkProgress.set(undefined)
  if (isStopped) toast({ text: m.stopped(through, total), ...(through > 0 && { undo }) })
  if (refused.length > 0) work.onRefused(refused)
}

/** What was not sent yet is not sent; the rest is undone, each task if it is still as this made it. */
async function takeBack(work: Many, parts: readonly Part[]): Promise<void> {
  for (const part of parts) part.cancel()
  await Promise.all(parts.map(({ finished }) => finished))
  const wishes = new Map(parts.map((part) => [part.project_id, new Map(part.inverse)]))
  for (const { project_id, inverse } of parts) {
    for (const [number, wish] of inverse) wishes.get(project_id)?.set(number, wish)
  }
  const of = [...wishes].map(([project_id, all]) => ({ project_id, numbers: [...all.keys()] }))
  if (of.every(({ numbers }) => numbers.length === 0)) return
  changeMany({
    ...work,
    of,
    label: m.undone(work.label),
    meant: (number, _, project_id) => wishes.get(project_id)?.get(number),
  })
}
