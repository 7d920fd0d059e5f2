import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'

/**
 * Every process caches credentials, roles, memberships and plans. A transaction that changes one of
 * them must bump the auth version, so that all processes drop their caches.
 */
export async function bumpAuthVersion(tx: WriteTx): Promise<void> {
  await tx.run(incrementVersion, {})
}

/** Checks the auth version at most once per `cacheTtlMs`, and only if there are requests. */
export function watchAuthVersion(storage: Storage, cacheTtlMs: number, onChange: () => void) {
  let knownVersion: string | undefined
  let freshUntil = 0
  let refreshing: Promise<void> | undefined
  /** Counts the events that make earlier reads unreliable. */
  let epoch = 0

  async function readVersion(): Promise<void> {
    const validUntil = performance.now() + cacheTtlMs
    const startEpoch = epoch
    const version = await loadAuthVersion(storage)
    const wasInvalidated = startEpoch !== epoch
    if (version !== knownVersion) {
      epoch += 1
      onChange()
    }
    knownVersion = version
    if (wasInvalidated) return readVersion()
    freshUntil = validUntil
  }

  return {
    /** Whether cached values may be used without checking the version. */
    isFresh: () => performance.now() < freshUntil,
    /** Call this after a change by this process: the next request checks the version. */
    invalidate(): void {
      epoch += 1
      freshUntil = 0
    },
    /** Returns a function that says whether values read since the snapshot may be cached. */
    snapshot(): () => boolean {
      const startEpoch = epoch
      return () => startEpoch === epoch
    },
    /** Checks the version, and returns a number that grows when what is cached has become unreliable. */
    async loadEpoch(): Promise<number> {
      await this.refresh()
      return epoch
    },
    refresh(): Promise<void> {
      if (performance.now() < freshUntil) return Promise.resolve()
      refreshing ??= readVersion().finally(() => {
        refreshing = undefined
      })
      return refreshing
    },
  }
}

/** The key of the auth version in `installation`. */
const AUTH_VERSION_KEY = 'identity_generation'

/** The stored version; undefined before the first change. */
export async function loadAuthVersion(storage: Storage): Promise<string | undefined> {
  return (await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(authVersionRow, {})))?.value
}

const authVersionRow = unscopedQuery((db) =>
  db.selectFrom('installation').select('value').where('name', '=', AUTH_VERSION_KEY),
)

/**
 * Increments the version. Earlier builds wrote `2.0` on SQLite, which PostgreSQL does not accept as an
 * integer; migrated databases and backups may still contain it.
 */
const incrementVersion = unscopedCommand((db, _: object) =>
  db
    .insertInto('installation')
    .values({ name: AUTH_VERSION_KEY, value: '1' })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({
        value: (is) => {
          const version = is.cast<number>('installation.value', 'numeric')
          return is.cast<string>(is(is.cast<number>(version, 'integer'), '+', 1), 'text')
        },
      }),
    ),
)
