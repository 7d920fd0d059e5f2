import { NOBODY } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { commandOfAll, queryOfAll } from '#storage/statement.ts'

/**
 * Credentials, roles, memberships and plans are remembered by every process. Whoever changes one
 * advances the generation in the same transaction; processes look at it and forget what they knew.
 */
export async function advanceGeneration(tx: WriteTx): Promise<void> {
  await tx.run(advance, {})
}

/** Watches the generation: asks at most every `believedMs`, and only when there is a request. */
export function generation(storage: Storage, believedMs: number, onChange: () => void) {
  let seen: string | undefined
  let until = 0
  let asking: Promise<void> | undefined
  /** Counts whatever makes doubtful what was read before. */
  let turn = 0

  async function ask(): Promise<void> {
    const end = performance.now() + believedMs
    const began = turn
    const row = await storage.read(NOBODY, (tx) => tx.one(current, {}))
    const doubted = began !== turn
    if (row?.value !== seen) {
      turn += 1
      onChange()
    }
    seen = row?.value
    if (doubted) return ask()
    until = end
  }

  return {
    /** Whether what is remembered may be used without asking. */
    settled: () => performance.now() < until,
    /** This process has changed something: the next request asks. */
    doubt(): void {
      turn += 1
      until = 0
    },
    /** Tells, when called again, whether what was read meanwhile may be remembered. */
    watch(): () => boolean {
      const began = turn
      return () => began === turn
    },
    settle(): Promise<void> {
      if (performance.now() < until) return Promise.resolve()
      asking ??= ask().finally(() => {
        asking = undefined
      })
      return asking
    },
  }
}

const NAME = 'identity_generation'

const current = queryOfAll((db) =>
  db.selectFrom('installation').select('value').where('name', '=', NAME),
)

const advance = commandOfAll((db, _: object) =>
  db
    .insertInto('installation')
    .values({ name: NAME, value: '1' })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({
        value: (is) =>
          is.cast<string>(is(is.cast<number>('installation.value', 'integer'), '+', 1), 'text'),
      }),
    ),
)
