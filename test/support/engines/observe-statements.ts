import type { WriteTx } from '#core/transaction.ts'

const STATEMENT_METHODS: readonly PropertyKey[] = ['one', 'all', 'run', 'runEach']

/** Wraps a transaction, and calls `note` for each statement. */
export const observeStatements = (tx: WriteTx, note: () => void): WriteTx =>
  new Proxy(tx, {
    get(target, name) {
      if (STATEMENT_METHODS.includes(name)) note()
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
