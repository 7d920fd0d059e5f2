import { m } from '../messages/data.ts'
import { type BulkWork, Part, type Refused } from './bulk-part.ts'
import { bulkProgress } from './bulk-progress.ts'

export type { BulkWork, Meant, Refused } from './bulk-part.ts'

const AT_ONCE = 100
const SOON_MS = 1_000

interface Many extends BulkWork {
  numbers: readonly number[]
  /** Told once, when all is through: what was refused and why. */
  onRefused: (refused: readonly Refused[]) => void
}

/**
 * Changes many tasks: those that are known show it at once. Sent by hundreds, each on its own (not atomic) and only
 * if nobody changed the same meanwhile. Gives what takes all of it back.
 */
export function changeMany(work: Many): () => void {
  const { numbers } = work
  const parts = Array.from({ length: Math.ceil(numbers.length / AT_ONCE) }, (_, at) => {
    const some = numbers.slice(at * AT_ONCE, (at + 1) * AT_ONCE)
    return new Part(work, some)
  })
  void follow(work, parts)
  for (const part of parts) part.begin()
  return () => void takeBack(work, parts)
}

/** Shows how far it is, and tells at the end of what was refused. */
async function follow({ numbers, onRefused }: Many, parts: readonly Part[]): Promise<void> {
  const begun = Date.now()
  const refused: Refused[] = []
  for (const [at, part] of parts.entries()) {
    refused.push(...(await part.finished))
    const over = at === parts.length - 1
    const done = Math.min((at + 1) * AT_ONCE, numbers.length)
    if (over) bulkProgress.set(undefined)
    else if (Date.now() - begun > SOON_MS) bulkProgress.set({ done, total: numbers.length })
  }
  if (refused.length > 0) onRefused(refused)
}

/** What was not sent yet is not sent; the rest is undone, each task if it is still as this made it. */
async function takeBack(work: Many, parts: readonly Part[]): Promise<void> {
  for (const part of parts) part.cancel()
  await Promise.all(parts.map(({ finished }) => finished))
  const inverse = new Map(parts.flatMap((part) => [...part.inverse]))
  if (inverse.size === 0) return
  changeMany({
    ...work,
    numbers: [...inverse.keys()],
    label: m.undone(work.label),
    meant: (number) => inverse.get(number),
  })
}
