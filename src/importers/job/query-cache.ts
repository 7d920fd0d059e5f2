import type { Query, WriteTx } from '#core/transaction.ts'

/**
 * Wraps a transaction so that it caches the rows of some queries. Nothing that the transaction
 * writes may change their results; nobody else writes to the workspace meanwhile. Empty results are
 * not cached, for the rows may be created later.
 */
export function withQueryCache(tx: WriteTx, queries: readonly object[]): WriteTx {
  const cacheable = new Set(queries)
  const cache = new Map<object, Map<string, unknown[]>>()

  async function all<P, R>(query: Query<P, R>, args: Parameters<typeof tx.all<P, R>>[1]) {
    if (!cacheable.has(query)) return tx.all(query, args)
    const results = cache.get(query) ?? new Map<string, unknown[]>()
    cache.set(query, results)
    const key = JSON.stringify(args)
    const cached = results.get(key)
    if (cached) return cached as R[]
    const rows = await tx.all(query, args)
    if (rows.length > 0) results.set(key, rows)
    return rows
  }

  return {
    actor: tx.actor,
    settings: tx.settings,
    now: tx.now,
    nowMs: tx.nowMs,
    all,
    get operation_id() {
      return tx.operation_id
    },
    get events() {
      return tx.events
    },
    get hasChanges() {
      return tx.hasChanges
    },
    allNow: all,
    one: async (query, args) => (await all(query, args))[0],
    oneNow: async (query, args) => (await all(query, args))[0],
    newestChangeId: () => tx.newestChangeId(),
    run: (command, args) => tx.run(command, args),
    runEach: (command, rows) => tx.runEach(command, rows),
    emit: (kind, record, about) => tx.emit(kind, record, about),
    storeLargeEvents: () => tx.storeLargeEvents(),
    noteChange: (note) => tx.noteChange(note),
    audit: (...args) => tx.audit(...args),
    countBytes: (kind, bytes) => tx.countBytes(kind, bytes),
    runOperation: (work) => tx.runOperation(work),
    encrypt: (text) => tx.encrypt(text),
    decrypt: (sealed) => tx.decrypt(sealed),
  }
}
